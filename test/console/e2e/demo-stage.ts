import { randomUUID } from 'node:crypto';
import { consoleConfig, startConsole } from '@tenantscope/console';
import { grantableScopes } from '@tenantscope/contract';
import { type DemoTenant, demoHistory, demoRecords, demoTenants, publishDemo } from '@tenantscope/demo';
import { buildConsolePages, findFreePort } from '@tenantscope/local';
import { createLog } from '@tenantscope/runtime';
import { connectConsole, type Role } from '@tenantscope/store/console';
import { chromium } from 'playwright-core';
import { inject } from 'vitest';
import { eventually } from '../../installation/eventually.ts';
import { startInstallation } from '../../installation/installation.ts';
import { openWindow, type Window, type WindowOptions } from './window.ts';

/** The console in a browser, with the complete demo data of the first demo tenant. */
export interface DemoStage extends AsyncDisposable {
  readonly baseUrl: string;
  readonly tenantId: string;
  /** A key of the tenant with all scopes. */
  readonly secret: string;
  /** The superuser URL of the database. */
  readonly database: string;
  open(role: Role, options?: WindowOptions): Promise<Window>;
}

const dayMs = 86_400_000;
const events = 600;

export async function startDemoStage(chromiumPath: string): Promise<DemoStage> {
  await using started = new AsyncDisposableStack();
  await buildConsolePages();
  const running = started.use(await startInstallation());
  await running.startIngest();
  const { baseUrl } = await running.startApi();
  const [company] = demoTenants as [DemoTenant, ...DemoTenant[]];
  const { name, azureTenantId } = company;
  const endMs = Date.now();
  const { id: organizationId } = await running.admin.organizations.create({ name: 'Larkspur Group' });
  const connectedAt = new Date(endMs - 30 * dayMs);
  const { id: tenantId } = await running.admin.tenants.create({ name, azureTenantId, organizationId, connectedAt });
  const target = {
    kafka: { brokers: inject('services').kafka },
    topicPrefix: running.environment.TENANTSCOPE_TOPIC_PREFIX ?? '',
  };
  let published = 0;
  for (const records of [
    demoRecords({ tenant: company, endMs }),
    demoHistory({ tenant: company, endMs, count: events }),
  ])
    published += await publishDemo({ ...target, tenantId, records });
  await eventually('all published records are ingested', 60_000, async () => {
    const lanes = await running.admin.lanes.list();
    return lanes.reduce((sum, { nextOffset }) => sum + Number(nextOffset), 0) >= published;
  });
  const key = { name: 'Comparer', scopes: [...grantableScopes], owner: { tenantId }, expiresAt: null };
  const { secret } = await running.admin.keys.create(key);

  const { roles } = running.database;
  const store = started.use(await connectConsole({ models: roles.console, control: roles.console }));
  const port = await findFreePort();
  const origin = `http://localhost:${port}`;
  const config = consoleConfig.parse({
    TENANTSCOPE_CONSOLE_DATABASE_URL: roles.console,
    TENANTSCOPE_PUBLIC_URL: baseUrl,
    TENANTSCOPE_CONSOLE_URL: origin,
    TENANTSCOPE_CONSOLE_PORT: port,
    TENANTSCOPE_CONSOLE_SECRET: randomUUID(),
    TENANTSCOPE_HEALTH_PORT: 0,
    TENANTSCOPE_LOG_LEVEL: 'silent',
  });
  started.use(await startConsole(config, createLog({ name: 'console', level: 'silent' })));
  const browser = await chromium.launch({ executablePath: chromiumPath });
  started.defer(() => browser.close());
  const sessionOf = (role: Role) =>
    store.transaction({ actor: 'sign-in:local', sessionId: null, requestId: null }, async (transaction) => {
      const account = {
        organizationId,
        name: 'Maria Nowak',
        email: null,
        source: 'local',
        role,
        tenantIds: null,
      } as const;
      const member = await store.members.upsert(transaction, { ...account, subject: `${role} ${randomUUID()}` });
      return (await store.sessions.begin(transaction, member.id, { address: '127.0.0.1', agent: null })).secret;
    });
  const all = started.move();
  return {
    baseUrl,
    tenantId,
    secret,
    database: running.database.superuser,
    open: async (role, options = {}) => openWindow(browser, origin, await sessionOf(role), options),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
