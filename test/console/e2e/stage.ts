import { randomUUID } from 'node:crypto';
import { consoleConfig, startConsole } from '@tenantscope/console';
import { grantableScopes } from '@tenantscope/contract';
import { buildConsolePages, findFreePort } from '@tenantscope/local';
import { createLog } from '@tenantscope/runtime';
import { connectConsole, type Role } from '@tenantscope/store/console';
import { chromium } from 'playwright-core';
import { type ControlledInstallation, startControlledInstallation } from '../../guards/controlled-installation.ts';
import { type ControlledLog, openControlledLog } from '../../installation/controlled-log.ts';
import { createSetUpToken } from '../set-up-token.ts';
import { openWindow, type Window, type WindowOptions } from './window.ts';

/** The console in a browser, with its own API and database; all lanes are kept current until `stopLanes`. */
export interface Stage extends AsyncDisposable {
  readonly origin: string;
  readonly product: ControlledInstallation;
  readonly log: ControlledLog;
  readonly organizationId: string;
  readonly tenantIds: readonly string[];
  /** Opens a window signed in with this role; null: signed out. */
  open(role: Role | null, options?: WindowOptions): Promise<Window>;
  /** Creates a key of the first tenant. */
  createKey(name: string, scopes?: readonly string[]): Promise<{ id: string; secret: string }>;
  stopLanes(): void;
  /** Creates a set-up token, as the command line does on the host. */
  createSetUpToken(): Promise<string>;
}

const laneIntervalMs = 300;

/** @param settings additional settings of the console, by the ID of the organization and the base URL of the API */
export async function startStage(
  chromiumPath: string,
  settings: (organizationId: string, baseUrl: string) => Readonly<Record<string, string>> = () => ({}),
): Promise<Stage> {
  await using started = new AsyncDisposableStack();
  await buildConsolePages();
  const product = started.use(await startControlledInstallation());
  const { database, admin, superuser } = product;
  const log = started.use(await openControlledLog(database.superuser));
  const laneTimer = setInterval(() => {
    superuser.query('update models.ingest_lane set settled_at = clock_timestamp()').catch(() => {});
  }, laneIntervalMs);
  started.defer(() => clearInterval(laneTimer));
  const { id: organizationId } = await admin.organizations.create({ name: 'Larkspur Group' });
  const tenantIds: string[] = [];
  for (const name of ['Contoso Ltd', 'Zażółć Gęślą Sp. z o.o.'])
    tenantIds.push((await admin.tenants.create({ name, organizationId, azureTenantId: randomUUID() })).id);

  const urls = { models: database.roles.console, control: database.roles.console };
  const store = started.use(await connectConsole(urls));
  const port = await findFreePort();
  // A host name: browsers allow no passkeys for an IP address.
  const origin = `http://localhost:${port}`;
  const config = consoleConfig.parse({
    TENANTSCOPE_CONSOLE_DATABASE_URL: database.roles.console,
    TENANTSCOPE_PUBLIC_URL: product.baseUrl,
    TENANTSCOPE_CONSOLE_URL: origin,
    TENANTSCOPE_CONSOLE_PORT: port,
    TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION: organizationId,
    TENANTSCOPE_CONSOLE_SECRET: randomUUID(),
    TENANTSCOPE_HEALTH_PORT: 0,
    TENANTSCOPE_DRAIN_MS: 0,
    TENANTSCOPE_LOG_LEVEL: 'silent',
    ...settings(organizationId, product.baseUrl),
  });
  started.use(await startConsole(config, createLog({ name: 'console', level: 'silent' })));
  const browser = await chromium.launch({ executablePath: chromiumPath });
  started.defer(() => browser.close());

  const createSession = (role: Role, tenantIds: readonly string[] | null) =>
    store.transaction({ actor: 'sign-in:local', sessionId: null, requestId: null }, async (transaction) => {
      const subject = `${role} ${randomUUID()}`;
      const name = { admin: 'Maria Nowak', officer: 'Olga Wiśniewska', viewer: 'Victor Hale' }[role];
      const values = { organizationId, name, email: null, source: 'local', subject, role, tenantIds } as const;
      const member = await store.members.upsert(transaction, values);
      return (await store.sessions.begin(transaction, member.id, { address: '127.0.0.1', agent: null })).secret;
    });
  const all = started.move();
  return {
    origin,
    product,
    log,
    organizationId,
    tenantIds,
    open: async (role, options = {}) =>
      openWindow(browser, origin, role === null ? null : await createSession(role, options.tenantIds ?? null), options),
    createKey: (name, scopes = grantableScopes) =>
      admin.keys.create({ name, scopes: [...scopes], owner: { tenantId: tenantIds[0] ?? '' }, expiresAt: null }),
    stopLanes: () => clearInterval(laneTimer),
    createSetUpToken: () => createSetUpToken(database, { organizationId, role: 'admin', tenantIds: null }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
