import { randomBytes, randomUUID } from 'node:crypto';
import { grantableScopes, topics } from '@tenantscope/contract';
import { findFreePort } from '@tenantscope/local';
import { type Admin, connectAdmin } from '@tenantscope/store/admin';
import type pg from 'pg';
import { inject } from 'vitest';
import { type ApiResponse, createApiClient } from '../installation/api-client.ts';
import { startProcess } from '../installation/processes.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { openPostgresProxy, type PostgresProxy } from './postgres-proxy.ts';

/** An api on a database that only the test writes; every feed is settled through the time that the test sets. */
export interface ControlledInstallation extends AsyncDisposable {
  readonly baseUrl: string;
  readonly healthPort: number;
  readonly database: TestDatabase;
  readonly superuser: pg.Pool;
  /** Between the api and the read models. */
  readonly proxy: PostgresProxy;
  readonly admin: Admin;
  /** Every feed is settled through this time. */
  throughMs(): number;
  settle(throughMs: number): Promise<void>;
  /** A reader of the tenant with all scopes or with the given ones. */
  reader(tenantId: string, scopes?: readonly string[]): Reader;
  createTenant(): Promise<string>;
}

/** A client that changes its key before the rate limit of the key is reached. */
export interface Reader {
  readonly tenantId: string;
  get(
    path: string,
    parameters?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ApiResponse>;
}

const requestsPerKey = 500;

/** @param extra additional variables of the api */
export async function startControlledInstallation(
  extra: Readonly<Record<string, string>> = {},
): Promise<ControlledInstallation> {
  await using started = new AsyncDisposableStack();
  const database = started.use(await createTestDatabase());
  const superuser = openTestPool(database.superuser, { max: 4 });
  started.defer(() => superuser.end());
  let through = Date.now() - 3_600_000;
  for (const { suffix } of Object.values(topics))
    await superuser.query(
      `insert into models.ingest_lane (cluster_id, topic_id, partition, topic, source, settled_at, opened) values ('still', $1, 0, $2, $2, $3, true)`,
      [randomUUID(), suffix, new Date(through).toISOString()],
    );
  const wire = started.use(await openPostgresProxy(database.roles.api));
  const admin = started.use(
    await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:test'),
  );
  const port = await findFreePort();
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  const { healthPort } = started.use(
    await startProcess('api', {
      TENANTSCOPE_API_DATABASE_URL: wire.url,
      TENANTSCOPE_KEYS_DATABASE_URL: database.roles.keys,
      TENANTSCOPE_REDIS_URL: inject('services').redis,
      TENANTSCOPE_CURSOR_SECRETS: randomBytes(32).toString('hex'),
      TENANTSCOPE_PORT: String(port),
      TENANTSCOPE_PUBLIC_URL: baseUrl,
      // How many requests of a tenant run at once must not depend on the load of the machine.
      TENANTSCOPE_CONTENDED_SHARE: '1',
      TENANTSCOPE_LOG_LEVEL: 'warn',
      ...extra,
    }),
  );
  const all = started.move();
  return {
    baseUrl,
    healthPort,
    database,
    superuser,
    proxy: wire,
    admin,
    throughMs: () => through,
    async settle(throughMs) {
      await superuser.query('update models.ingest_lane set settled_at = $1', [new Date(throughMs).toISOString()]);
      through = throughMs;
    },
    createTenant: async () =>
      (
        await admin.tenants.create({
          name: 'A tenant',
          organizationId: null,
          azureTenantId: randomUUID(),
          connectedAt: new Date('2026-01-01T00:00:00Z'),
        })
      ).id,
    reader(tenantId, scopes = grantableScopes) {
      let spent = 0;
      let caller: ReturnType<typeof newCaller> | undefined;
      async function newCaller() {
        const key = { name: 'guard', scopes: [...scopes], owner: { tenantId }, expiresAt: null };
        return createApiClient(baseUrl, (await admin.keys.create(key)).secret);
      }
      return {
        tenantId,
        async get(...parameters) {
          if (caller === undefined || spent % requestsPerKey === 0) caller = newCaller();
          spent += 1;
          return (await caller).get(...parameters);
        },
      };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
