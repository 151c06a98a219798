import { randomUUID } from 'node:crypto';
import { lineMembers } from '@tenantscope/contract';
import { createPreparer } from '@tenantscope/ingest/preparer';
import { createPrincipalLoader } from '@tenantscope/ingest/principal-loader';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';

let database: TestDatabase;
let inspector: DatabaseInspector;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  inspector = await openDatabaseInspector(database.superuser);
  pool = openTestPool(database.roles.ingest, { max: 4 });
});
afterAll(async () => {
  await pool?.end();
  await inspector?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

/** Users of a tenant have two names each: the id and the address. */
const namesPerTenant = 10;
const addressOf = (number: number) => `person${number}@example.com`;

async function insertUser(tenantId: string, number: number, secondsAgo = 0): Promise<string> {
  const id = randomUUID();
  await inspector.client.query(
    `insert into models.entity_user (tenant_id, id, version, digest, updated_at, first_seen_at, is_deleted, document, detail)
     values ($1, $2, 1, '', now() - make_interval(secs => $3), now(), false, '{}', '{}')`,
    [tenantId, id, secondsAgo],
  );
  await inspector.client.query(
    `insert into models.entity_alias (tenant_id, kind, alias, id) values ($1, 'user', $2, $3)`,
    [tenantId, addressOf(number), id],
  );
  return id;
}

async function createTenants(count: number) {
  const tenantIds = Array.from({ length: count }, () => randomUUID());
  const userIds = new Map<string, string>();
  for (const tenantId of tenantIds)
    for (let number = 0; number < namesPerTenant / 2; number++)
      userIds.set(`${tenantId}/${addressOf(number)}`, await insertUser(tenantId, number));
  return { tenantIds, userIds };
}

/** Headers in the format of the log: a count, then the lengths and bytes of names and values. */
function encodeHeaders(headers: Readonly<Record<string, string>>): Buffer {
  const length = (bytes: number) => (bytes < 64 ? [bytes * 2] : [((bytes * 2) & 0x7f) | 0x80, (bytes * 2) >> 7]);
  const part = (text: string) => Buffer.concat([Buffer.from(length(Buffer.byteLength(text))), Buffer.from(text)]);
  const pairs = Object.entries(headers);
  return Buffer.concat([Buffer.from(length(pairs.length)), ...pairs.flat().map(part)]);
}

function recordOf(tenantId: string, number = 0) {
  const { key, value, headers } = activityMessage(tenantId, activityRecord(0, { UserId: addressOf(number) }));
  return { offset: 0n, producedAtMs: null, key: Buffer.from(key), value, headers: encodeHeaders(headers) };
}

/** In the binary format of COPY: after the number of columns, the tenant, the stamp, the id and the time of the event. */
const linesLengthAt = 2 + 20 + 12 + 20 + 12;

/** A loader with room for the names of two and a half tenants. */
function createLoader(tenantIds: readonly string[]) {
  const preparer = createPreparer(0, { maxRecordBytes: 1_048_576 }, (error) => {
    throw error;
  });
  preparer.setTenants(new Map(tenantIds.map((tenantId) => [tenantId, { azureTenantId: null }])));
  const metrics = { recordRetry: (error: unknown) => Promise.reject(error) } as never;
  const loader = createPrincipalLoader({
    models: { pool, schema: 'models' },
    preparer,
    metrics,
    maxAliases: 2.5 * namesPerTenant,
  });
  /** The ids of the actors, in the order of the tenants. */
  const readActors = async (...tenants: readonly string[]): Promise<Record<string, unknown>> => {
    const { rows } = await loader.prepare(tenants.map((tenantId) => recordOf(tenantId)));
    const bytes = Buffer.from(rows.bytes);
    return Object.fromEntries(
      [...rows.sourceIndexes].map((source, line) => {
        const start = (rows.starts[line] ?? 0) + linesLengthAt;
        const lines = bytes.toString('utf8', start + 4, start + 4 + bytes.readInt32BE(start)).split('\n');
        return [rows.sources[source]?.tenantId, JSON.parse(lines[lineMembers.indexOf('actorUserId')] || 'null')];
      }),
    );
  };
  const listCached = async (): Promise<string[]> => {
    const { tenants } = await preparer.prepare(tenantIds.map((tenantId) => recordOf(tenantId)));
    return tenantIds.filter((id) => tenants.some(({ tenantId, aliases }) => tenantId === id && aliases !== null));
  };
  return { preparer, loader, readActors, listCached };
}

test('beyond the limit the tenants whose records arrived longest ago are evicted and read again for their next records', async () => {
  const { tenantIds, userIds } = await createTenants(3);
  const [a = '', b = '', c = ''] = tenantIds;
  const { readActors, listCached } = createLoader(tenantIds);
  const actor = (tenantId: string) => ({ [tenantId]: userIds.get(`${tenantId}/${addressOf(0)}`) });
  expect(await listCached()).toEqual([]);
  expect(await readActors(a)).toEqual(actor(a));
  expect(await readActors(b)).toEqual(actor(b));
  expect(await listCached()).toEqual([a, b]);
  expect(await readActors(c)).toEqual(actor(c));
  expect(await listCached()).toEqual([b, c]);
  // Records of b arrive again, so c is now the one that was used longest ago.
  expect(await readActors(b)).toEqual(actor(b));
  expect(await readActors(a)).toEqual(actor(a));
  expect(await listCached()).toEqual([a, b]);
  // A slice of more tenants than the limit allows evicts none of its own.
  expect(await readActors(a, b, c)).toEqual({ ...actor(a), ...actor(b), ...actor(c) });
  expect(await listCached()).toEqual([a, b, c]);
});

test('changes of an evicted tenant are neither missed nor read before its next record', async () => {
  const { tenantIds } = await createTenants(3);
  const [a = '', b = '', c = ''] = tenantIds;
  const { loader, readActors, listCached } = createLoader(tenantIds);
  await readActors(a);
  await readActors(b);
  await readActors(c);
  await inspector.client.query('delete from models.entity_alias where tenant_id = $1 and alias = $2', [
    a,
    addressOf(0),
  ]);
  const successor = await insertUser(a, 0);
  await loader.refresh();
  expect(await listCached()).toEqual([b, c]);
  expect(await readActors(a)).toEqual({ [a]: successor });
});

test('a tenant is not evicted while a slice with its records waits for the names of another tenant', async () => {
  const { tenantIds, userIds } = await createTenants(3);
  const [a = '', b = '', c = ''] = tenantIds;
  const { preparer, readActors } = createLoader(tenantIds);
  await readActors(a);
  await readActors(b);
  await inspector.client.query('begin');
  await inspector.client.query('lock table models.entity_user in access exclusive mode');
  const waiting = readActors(b, c);
  const added = Array.from({ length: 3 * namesPerTenant }, (_, number) => ({
    ...{ tenantId: a, kind: 'user' as const, id: `added-${number}`, isDeleted: false, aliases: [] },
  }));
  preparer.changePrincipals({ kind: 'update', principals: added });
  await readActors(a);
  await inspector.client.query('commit');
  const actor = (tenantId: string) => userIds.get(`${tenantId}/${addressOf(0)}`);
  expect(await waiting).toEqual({ [b]: actor(b), [c]: actor(c) });
});

test('what changes during a load of more than a minute is read by the next refresh', async () => {
  const { tenantIds } = await createTenants(1);
  const [tenantId = ''] = tenantIds;
  const { loader, readActors } = createLoader(tenantIds);
  await inspector.client.query('delete from models.entity_alias where tenant_id = $1 and alias = $2', [
    tenantId,
    addressOf(0),
  ]);
  // The load reads users, then agents, and waits for apps.
  await using locking = await openDatabaseInspector(database.superuser);
  await locking.client.query('begin');
  await locking.client.query('lock table models.entity_app in access exclusive mode');
  const loading = readActors(tenantId);
  await vi.waitFor(async () => {
    const { rows } = await inspector.client.query(
      `select from pg_locks where not granted and relation = 'models.entity_app'::regclass`,
    );
    expect(rows).toHaveLength(1);
  }, 20_000);
  // As if the load had begun long ago: a refresh reads what is newer than the last one, less a minute.
  const added = await insertUser(tenantId, 0, 90);
  const refreshed = loader.refresh();
  await locking.client.query('commit');
  await refreshed;
  expect(await loading).toEqual({ [tenantId]: null });
  await loader.refresh();
  expect(await readActors(tenantId)).toEqual({ [tenantId]: added });
});
