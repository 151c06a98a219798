import { randomBytes, randomUUID } from 'node:crypto';
import { grantableScopes, topics } from '@tenantscope/contract';
import { freePort } from '@tenantscope/local';
import { type Admin, connectAdmin } from '@tenantscope/store';
import pg from 'pg';
import { inject } from 'vitest';
import { type Called, callerOf } from '../product/caller.ts';
import { startProcess } from '../product/processes.ts';
import { type TestDatabase, testDatabase } from '../services/database.ts';
import { openWire, type Wire } from './wire.ts';

/** An api on a database that nobody writes but the test; every feed is settled through where the test says. */
export interface StillProduct extends AsyncDisposable {
  readonly baseUrl: string;
  readonly database: TestDatabase;
  readonly superuser: pg.Pool;
  /** Between the api and the read models. */
  readonly wire: Wire;
  readonly admin: Admin;
  /** Every feed is settled through this moment. */
  throughMs(): number;
  settle(throughMs: number): Promise<void>;
  /** A reader of the tenant with all scopes, or with these. */
  reader(tenantId: string, scopes?: readonly string[]): Reader;
  tenant(): Promise<string>;
}

/** Somebody with keys enough: each is put away before its request budget is used up. */
export interface Reader {
  readonly tenantId: string;
  get(
    path: string,
    parameters?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Called>;
}

const requestsPerKey = 500;

/** @param extra variables of the api beside its usual ones */
export async function stillProduct(extra: Readonly<Record<string, string>> = {}): Promise<StillProduct> {
  await using started = new AsyncDisposableStack();
  const database = started.use(await testDatabase());
  const superuser = new pg.Pool({ connectionString: database.superuser, max: 4 });
  // Ending a pool does not wait until the server has heard of it, and the database is dropped under what is left.
  superuser.on('connect', (client) => void client.on('error', () => {}));
  started.defer(() => superuser.end());
  let through = Date.now() - 3_600_000;
  for (const { suffix } of Object.values(topics))
    await superuser.query(
      `insert into models.ingest_lane (cluster_id, topic_id, partition, topic, source, settled_at, opened) values ('still', $1, 0, $2, $2, $3, true)`,
      [randomUUID(), suffix, new Date(through).toISOString()],
    );
  const wire = started.use(await openWire(database.roles.api));
  const admin = started.use(
    await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'test'),
  );
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  started.use(
    await startProcess('api', {
      TENANTSCOPE_API_DATABASE_URL: wire.url,
      TENANTSCOPE_KEYS_DATABASE_URL: database.roles.keys,
      TENANTSCOPE_REDIS_URL: inject('services').redis,
      TENANTSCOPE_CURSOR_SECRETS: randomBytes(32).toString('hex'),
      TENANTSCOPE_PORT: String(port),
      TENANTSCOPE_PUBLIC_URL: baseUrl,
      TENANTSCOPE_DRAIN_MS: '0',
      TENANTSCOPE_LOG_LEVEL: 'warn',
      ...extra,
    }),
  );
  const all = started.move();
  return {
    baseUrl,
    database,
    superuser,
    wire,
    admin,
    throughMs: () => through,
    async settle(throughMs) {
      await superuser.query('update models.ingest_lane set settled_at = $1', [new Date(throughMs).toISOString()]);
      through = throughMs;
    },
    tenant: async () =>
      (await admin.tenants.create({ name: 'A tenant', organizationId: null, azureTenantId: randomUUID() })).id,
    reader(tenantId, scopes = grantableScopes) {
      let spent = 0;
      let caller = newCaller();
      async function newCaller() {
        const key = { name: 'guard', scopes: [...scopes], owner: { tenantId }, expiresAt: null };
        return callerOf(baseUrl, (await admin.keys.create(key)).secret);
      }
      return {
        tenantId,
        async get(...words) {
          if (spent++ % requestsPerKey === requestsPerKey - 1) caller = newCaller();
          return (await caller).get(...words);
        },
      };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
