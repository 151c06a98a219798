import { setTimeout as sleep } from 'node:timers/promises';
import { readAdminUrls, readKafkaSettings } from '@tenantscope/cli/config';
import { scopes } from '@tenantscope/contract';
import {
  type DemoEvent,
  type DemoTenant,
  demoHistory,
  demoNotificationStream,
  demoRecordStream,
  demoRecords,
  demoStream,
  demoTenants,
  publishDamagedRecords,
  publishDemo,
  publishDemoStream,
} from '@tenantscope/demo';
import { databaseUrl, postgresVariables, readConfig } from '@tenantscope/runtime';
import { type Admin, connectAdmin, type Tenant } from '@tenantscope/store/admin';
import { connectKeyDirectory, hashSecret, type KeyDirectory } from '@tenantscope/store/api-key';
import { z } from 'zod';
import type { EnvironmentVariables } from './application.ts';
import { waitForIngestion } from './readiness.ts';
import { type DemoSettings, type SavedSettings, writeSavedSettings } from './saved-settings.ts';
import { writeLine } from './terminal.ts';

const organizationName = 'Tenantscope demonstration';
const days = 30;
const keysConfig = z.object({ TENANTSCOPE_KEYS_DATABASE_URL: databaseUrl('Control database.'), ...postgresVariables });

/** Creates the demonstration's tenants and, on the first start, publishes the activity of their last 30 days. */
export async function setUpDemo(
  environment: EnvironmentVariables,
  settings: SavedSettings,
  directory: string,
): Promise<DemoSettings> {
  const demo = await createDemo(environment, settings.demo);
  await writeSavedSettings(directory, { ...settings, demo });
  if (demo.historyPublished) return demo;
  const startedAtMs = performance.now();
  const count = await publishHistory(environment, demo);
  await waitForIngestion(environment);
  writeLine(
    'demo',
    `published and ingested ${count} records of ${days} days in ${Math.round(performance.now() - startedAtMs)} ms`,
  );
  await writeSavedSettings(directory, { ...settings, demo: { ...demo, historyPublished: true } });
  return demo;
}

/**
 * Publishes current activity until the signal aborts. The first tenant receives only immutable records, log rows and notifications, so that all
 * other data there stay the same; in the last tenant records change.
 */
export function publishDemoActivity(
  environment: EnvironmentVariables,
  demo: DemoSettings,
  signal: AbortSignal,
): Promise<void> {
  const cast = castOf(demo.tenants);
  const [first, last] = [cast.slice(0, 1), cast.slice(-1)];
  const past = { historyMs: demo.historyAtMs, startMs: Date.now() };
  const streams = [
    ...first.map(({ tenant, tenantId }) => ({ tenantId, happenings: demoStream({ tenant, ...past }) })),
    ...first.map(({ tenant, tenantId }) => ({ tenantId, happenings: demoNotificationStream({ tenant, ...past }) })),
    ...last.map(({ tenant, tenantId }) => ({ tenantId, happenings: demoRecordStream({ tenant, ...past }) })),
  ];
  return publishDemoStream({ ...topicsOf(environment), streams, signal });
}

/** The demonstration's organization, tenants and keys: those of the last start if they are still valid, else new ones. */
async function createDemo(environment: EnvironmentVariables, last: DemoSettings | null): Promise<DemoSettings> {
  await using admin = await connectAdmin(readAdminUrls(environment), 'cli:start');
  await using keys = await connectKeyDirectory(readConfig(keysConfig, environment).TENANTSCOPE_KEYS_DATABASE_URL, {
    name: 'tenantscope demo',
    maxConnections: 1,
  });
  const organizationId = await findOrganization(admin);
  const tenants = await findTenants(admin, organizationId);
  const owners = { tenant: { tenantId: tenants[0]?.id ?? '' }, organization: { organizationId } };
  const secret = async (which: keyof DemoSettings['keys']) => {
    const saved = last?.keys[which];
    if (saved !== undefined && (await isValid(keys, saved))) return saved;
    const created = { name: `Demonstration: ${which}`, scopes: [...scopes], owner: owners[which], expiresAt: null };
    return (await admin.keys.create(created)).secret;
  };
  const { historyAtMs = Date.now(), historyPublished = false } = last ?? {};
  return {
    organizationId,
    tenants,
    keys: { tenant: await secret('tenant'), organization: await secret('organization') },
    historyAtMs,
    historyPublished,
  };
}

async function findOrganization(admin: Admin): Promise<string> {
  const found = (await admin.organizations.list()).find(({ name }) => name === organizationName);
  return (found ?? (await admin.organizations.create({ name: organizationName }))).id;
}

async function findTenants(admin: Admin, organizationId: string): Promise<DemoSettings['tenants']> {
  const present = await admin.tenants.list({ organizationId });
  // Connected since the start of its history, so that its past weeks have snapshots.
  const connectedAt = new Date(Date.now() - days * 86_400_000);
  const found: DemoSettings['tenants'] = [];
  for (const { name, azureTenantId } of demoTenants) {
    const same = (tenant: Tenant) => tenant.azureTenantId === azureTenantId;
    const tenant =
      present.find(same) ?? (await admin.tenants.create({ name, organizationId, azureTenantId, connectedAt }));
    found.push({ id: tenant.id, name: tenant.name, azureTenantId: tenant.azureTenantId });
  }
  return found;
}

async function isValid(keys: KeyDirectory, secret: string): Promise<boolean> {
  const found = await keys.lookUp(hashSecret(secret), null, false);
  return found !== null && !('endedKeyId' in found);
}

/**
 * Publishes the tenants' entities first, so that log rows find the applications they name. Publishing twice gives the same records.
 */
async function publishHistory(
  environment: EnvironmentVariables,
  { tenants, historyAtMs: endMs }: DemoSettings,
): Promise<number> {
  const cast = castOf(tenants);
  const publish = async (recordsOf: (tenant: DemoTenant) => Iterable<DemoEvent>) => {
    const published = cast.map(({ tenant, tenantId }) =>
      publishDemo({ ...topicsOf(environment), tenantId, records: recordsOf(tenant) }),
    );
    return (await Promise.all(published)).reduce((sum, count) => sum + count, 0);
  };
  const records = await publish((tenant) => demoRecords({ tenant, endMs }));
  await waitForIngestion(environment);
  await sleep(applicationRefreshMs);
  const history = await publish((tenant) => demoHistory({ tenant, endMs, days }));
  // Malformed messages, as examples of dead letters. They are not counted.
  for (const { tenant, tenantId } of cast.slice(0, 1))
    await publishDamagedRecords({ ...topicsOf(environment), tenant, tenantId, endMs });
  return records + history;
}

/** Ingest reads the applications every five seconds. */
const applicationRefreshMs = 5_500;

function castOf(tenants: DemoSettings['tenants']) {
  return demoTenants.flatMap((tenant) => {
    const entered = tenants.find(({ azureTenantId }) => azureTenantId === tenant.azureTenantId);
    return entered === undefined ? [] : [{ tenant, tenantId: entered.id }];
  });
}

function topicsOf(environment: EnvironmentVariables) {
  const { connection, topicPrefix } = readKafkaSettings(environment);
  return { kafka: connection, topicPrefix };
}
