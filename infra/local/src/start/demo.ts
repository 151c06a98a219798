import { setTimeout as sleep } from 'node:timers/promises';
import { scopes } from '@tenantscope/contract';
import {
  type DemoTenant,
  demoHistory,
  demoNotificationStream,
  demoRecordStream,
  demoRecords,
  demoStream,
  demoTenants,
  type Happening,
  publishDamaged,
  publishDemo,
  publishDemoStream,
} from '@tenantscope/demo';
import { type Admin, connectAdmin, connectKeys, hashSecret, type Keys, type Tenant } from '@tenantscope/store';
import type { Environment } from './application.ts';
import { type Demo, type Kept, writeKept } from './kept.ts';
import { say } from './screen.ts';
import { untilTakenIn } from './taken-in.ts';

const organizationName = 'Tenantscope demonstration';
const days = 30;

/** Enters the demonstration's tenants and, on the first start, lets their last 30 days arrive. */
export async function playDemo(environment: Environment, kept: Kept, directory: string): Promise<Demo> {
  const demo = await enter(environment, kept.demo);
  await writeKept(directory, { ...kept, demo });
  if (demo.historyPublished) return demo;
  const begunMs = performance.now();
  const count = await publishHistory(environment, demo);
  await untilTakenIn(environment);
  say(
    'demo',
    `${count} records of ${days} days written and taken in within ${Math.round(performance.now() - begunMs)} ms`,
  );
  await writeKept(directory, { ...kept, demo: { ...demo, historyPublished: true } });
  return demo;
}

/**
 * Goes on until told to stop. In the first tenant only what never changes arrives, log rows and notifications, so that everything else there
 * holds still for whoever looks at it; in the last one records change.
 */
export function publishPresent(environment: Environment, demo: Demo, signal: AbortSignal): Promise<void> {
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

/** The demonstration's organization, tenants and keys: those of the last start as far as they are still good, else new ones. */
async function enter(environment: Environment, last: Demo | null): Promise<Demo> {
  const { TENANTSCOPE_ADMIN_DATABASE_URL: models = '', TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL: control = '' } =
    environment;
  await using admin = await connectAdmin({ models, control }, 'start');
  await using keys = await connectKeys(environment.TENANTSCOPE_KEYS_DATABASE_URL ?? '', {
    name: 'tenantscope demo',
    maxConnections: 1,
  });
  const organizationId = await findOrganization(admin);
  const tenants = await findTenants(admin, organizationId);
  const owners = { tenant: { tenantId: tenants[0]?.id ?? '' }, organization: { organizationId } };
  const secret = async (which: keyof Demo['keys']) => {
    const kept = last?.keys[which];
    if (kept !== undefined && (await isGood(keys, kept))) return kept;
    const made = { name: `Demonstration: ${which}`, scopes: [...scopes], owner: owners[which], expiresAt: null };
    return (await admin.keys.create(made)).secret;
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

async function findTenants(admin: Admin, organizationId: string): Promise<Demo['tenants']> {
  const present = await admin.tenants.list({ organizationId });
  // Connected for as long as its history tells: its past weeks have their snapshots.
  const connectedAt = new Date(Date.now() - days * 86_400_000);
  const found: Demo['tenants'] = [];
  for (const { name, azureTenantId } of demoTenants) {
    const same = (tenant: Tenant) => tenant.azureTenantId === azureTenantId;
    const tenant =
      present.find(same) ?? (await admin.tenants.create({ name, organizationId, azureTenantId, connectedAt }));
    found.push({ id: tenant.id, name: tenant.name, azureTenantId: tenant.azureTenantId });
  }
  return found;
}

async function isGood(keys: Keys, secret: string): Promise<boolean> {
  const found = await keys.lookUp(hashSecret(secret), null, false);
  return found !== null && !('endedKeyId' in found);
}

/**
 * What a tenant consists of comes first: rows of the log then find the applications they name. Published twice, they are the same records.
 */
async function publishHistory(environment: Environment, { tenants, historyAtMs: endMs }: Demo): Promise<number> {
  const cast = castOf(tenants);
  const publish = async (recordsOf: (tenant: DemoTenant) => Iterable<Happening>) => {
    const published = cast.map(({ tenant, tenantId }) =>
      publishDemo({ ...topicsOf(environment), tenantId, records: recordsOf(tenant) }),
    );
    return (await Promise.all(published)).reduce((sum, count) => sum + count, 0);
  };
  const records = await publish((tenant) => demoRecords({ tenant, endMs }));
  await untilTakenIn(environment);
  await sleep(applicationsKnownMs);
  const history = await publish((tenant) => demoHistory({ tenant, endMs, days }));
  // Dead letters to look at; they are no rows.
  for (const { tenant, tenantId } of cast.slice(0, 1))
    await publishDamaged({ ...topicsOf(environment), tenant, tenantId, endMs });
  return records + history;
}

/** Ingest asks every five seconds which applications there are. */
const applicationsKnownMs = 5_500;

function castOf(tenants: Demo['tenants']) {
  return demoTenants.flatMap((tenant) => {
    const entered = tenants.find(({ azureTenantId }) => azureTenantId === tenant.azureTenantId);
    return entered === undefined ? [] : [{ tenant, tenantId: entered.id }];
  });
}

function topicsOf(environment: Environment): { brokers: string; topicPrefix: string } {
  return {
    brokers: environment.TENANTSCOPE_KAFKA_BROKERS ?? '',
    topicPrefix: environment.TENANTSCOPE_TOPIC_PREFIX ?? '',
  };
}
