import { randomBytes, randomUUID } from 'node:crypto';
import { type ConsoleConfig, consoleConfig, type RunningConsole, startConsole } from '@tenantscope/console';
import { freePort } from '@tenantscope/local';
import { createLog } from '@tenantscope/runtime';
import { type Admin, type ConsoleStore, connectAdmin, connectConsole, type Role } from '@tenantscope/store';
import { type TestDatabase, testDatabase } from '../services/database.ts';

/** A console of one's own on a database of one's own, with people of every role. */
export interface TestConsole extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly origin: string;
  readonly admin: Admin;
  readonly store: ConsoleStore;
  readonly organizationId: string;
  readonly tenantIds: readonly string[];
  /** Somebody signed in; null: nobody. */
  visitor(role: Role | null, tenantIds?: readonly string[]): Promise<Visitor>;
}

export interface Visitor {
  readonly personId: string | null;
  readonly secret: string | null;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  readonly body: any;
}

/** On a database of its own, unless one is lent, and by its address, unless a host name is given. */
export async function testConsole(
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
  const database = lent ?? stack.use(await testDatabase());
  const urls = { models: database.roles.admin, control: database.roles.admin };
  const admin = stack.use(await connectAdmin(urls, 'test'));
  const store = stack.use(await connectConsole(urls));
  const { id: organizationId } = await admin.organizations.create({ name: 'Larkspur Group' });
  const tenantIds: string[] = [];
  for (const name of ['First', 'Second'])
    tenantIds.push((await admin.tenants.create({ name, organizationId, azureTenantId: randomUUID() })).id);
  const port = await freePort();
  const origin = `http://${host}:${port}`;
  const config: ConsoleConfig = consoleConfig.parse({
    TENANTSCOPE_ADMIN_DATABASE_URL: database.roles.admin,
    TENANTSCOPE_PUBLIC_URL: 'http://127.0.0.1:9/api/v1',
    TENANTSCOPE_CONSOLE_URL: origin,
    TENANTSCOPE_CONSOLE_PORT: port,
    TENANTSCOPE_HEALTH_PORT: 0,
    TENANTSCOPE_CONSOLE_SECRET: randomBytes(32).toString('base64url'),
    TENANTSCOPE_LOG_LEVEL: 'silent',
    ...settings(organizationId),
    ...more,
  });
  const running: RunningConsole = stack.use(
    await startConsole(config, createLog({ name: 'console', level: 'silent' })),
  );
  void running;
  const by = { actor: 'test', sessionId: null, requestId: null };
  return {
    database,
    origin,
    admin,
    store,
    organizationId,
    tenantIds,
    async visitor(role, ofTenants) {
      if (role === null) return visitorWith(origin, null, null);
      const name = `${role} ${randomUUID()}`;
      return store.change(by, async (transaction) => {
        const person = await store.people.enter(transaction, {
          organizationId,
          name,
          email: null,
          source: 'local',
          subject: name,
          role,
          tenantIds: ofTenants ?? null,
        });
        const { secret } = await store.sessions.begin(transaction, person.id, { address: '127.0.0.1', agent: null });
        return visitorWith(origin, person.id, secret);
      });
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function visitorWith(origin: string, personId: string | null, secret: string | null): Visitor {
  return {
    personId,
    secret,
    async ask(method, path, body, headers = {}) {
      const isChange = method !== 'GET';
      const answer = await fetch(origin + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(secret === null ? {} : { Cookie: `sid=${secret}` }),
          ...(isChange ? { Origin: origin, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' } : {}),
          ...headers,
        },
        ...(isChange ? { body: JSON.stringify(body ?? {}) } : {}),
      });
      const text = await answer.text();
      let parsed: unknown = null;
      try {
        parsed = JSON.parse(text);
      } catch {
        // Not every answer is JSON.
      }
      return { status: answer.status, headers: answer.headers, text, body: parsed };
    },
  };
}
