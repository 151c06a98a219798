import { randomBytes, randomUUID } from 'node:crypto';
import { type ConsoleConfig, consoleConfig, type RunningConsole, startConsole } from '@tenantscope/console';
import { findFreePort } from '@tenantscope/local';
import { createLog } from '@tenantscope/runtime';
import { type Admin, connectAdmin } from '@tenantscope/store/admin';
import { type ConsoleStore, connectConsole, type Role } from '@tenantscope/store/console';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { createSetUpToken } from './set-up-token.ts';

/** A console on its own database, with a client for each role. */
export interface TestConsole extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly origin: string;
  readonly admin: Admin;
  readonly store: ConsoleStore;
  readonly organizationId: string;
  readonly tenantIds: readonly string[];
  /** Created by the command line on the host. */
  createSetUpToken(role: Role): Promise<string>;
  /** A client signed in with this role; null: without a session. */
  signIn(role: Role | null, tenantIds?: readonly string[]): Promise<ConsoleClient>;
}

export interface ConsoleClient {
  readonly memberId: string | null;
  readonly secret: string | null;
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ConsoleResponse>;
}

export interface ConsoleResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  readonly body: any;
}

/** On a database of its own, unless one is lent, and by its address, unless a host name is given. */
export async function createTestConsole(
  more: Record<string, string> = {},
  {
    lent,
    host = '127.0.0.1',
    settings = () => ({}),
  }: {
    lent?: TestDatabase;
    host?: string;
    /** What depends on the organization. */
    settings?: (organizationId: string) => Record<string, string>;
  } = {},
): Promise<TestConsole> {
  const stack = new AsyncDisposableStack();
  const database = lent ?? stack.use(await createTestDatabase());
  const admin = stack.use(
    await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:test'),
  );
  const urls = { models: database.roles.console, control: database.roles.console };
  const store = stack.use(await connectConsole(urls));
  const { id: organizationId } = await admin.organizations.create({ name: 'Larkspur Group' });
  const tenantIds: string[] = [];
  for (const name of ['First', 'Second'])
    tenantIds.push((await admin.tenants.create({ name, organizationId, azureTenantId: randomUUID() })).id);
  const port = await findFreePort();
  const origin = `http://${host}:${port}`;
  const config: ConsoleConfig = consoleConfig.parse({
    TENANTSCOPE_CONSOLE_DATABASE_URL: database.roles.console,
    TENANTSCOPE_PUBLIC_URL: 'http://127.0.0.1:9/api/v1',
    TENANTSCOPE_CONSOLE_URL: origin,
    TENANTSCOPE_CONSOLE_PORT: port,
    TENANTSCOPE_HEALTH_PORT: 0,
    TENANTSCOPE_DRAIN_MS: 0,
    TENANTSCOPE_CONSOLE_SECRET: randomBytes(32).toString('base64url'),
    TENANTSCOPE_LOG_LEVEL: 'silent',
    ...settings(organizationId),
    ...more,
  });
  const running: RunningConsole = stack.use(
    await startConsole(config, createLog({ name: 'console', level: config.TENANTSCOPE_LOG_LEVEL })),
  );
  void running;
  const by = { actor: 'sign-in:local', sessionId: null, requestId: null };
  return {
    database,
    origin,
    admin,
    store,
    organizationId,
    tenantIds,
    createSetUpToken: (role) => createSetUpToken(database, { organizationId, role, tenantIds: null }),
    async signIn(role, ofTenants) {
      if (role === null) return createClient(origin, null, null);
      const name = `${role} ${randomUUID()}`;
      return store.transaction(by, async (transaction) => {
        const member = await store.members.upsert(transaction, {
          organizationId,
          name,
          email: null,
          source: 'local',
          subject: name,
          role,
          tenantIds: ofTenants ?? null,
        });
        const { secret } = await store.sessions.begin(transaction, member.id, { address: '127.0.0.1', agent: null });
        return createClient(origin, member.id, secret);
      });
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function createClient(origin: string, memberId: string | null, secret: string | null): ConsoleClient {
  return {
    memberId,
    secret,
    async request(method, path, body, headers = {}) {
      const isChange = method !== 'GET';
      const response = await fetch(origin + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(secret === null ? {} : { Cookie: `sid=${secret}` }),
          ...(isChange ? { Origin: origin, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' } : {}),
          ...headers,
        },
        ...(isChange ? { body: JSON.stringify(body ?? {}) } : {}),
      });
      const text = await response.text();
      let parsed: unknown = null;
      try {
        parsed = JSON.parse(text);
      } catch {
        // Not every response is JSON.
      }
      return { status: response.status, headers: response.headers, text, body: parsed };
    },
  };
}
