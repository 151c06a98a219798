import { randomUUID } from 'node:crypto';
import { withConnection } from '@tenantscope/store/connection';
import { backfillLogTally, type MergeParts, writeEntityChanges } from '@tenantscope/store/ingest';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entityMessage } from '../installation/entity-messages.ts';
import { eventually } from '../installation/eventually.ts';
import { mergeParts } from '../installation/log-merging.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { readChange } from './read-change.ts';

let database: TestDatabase;
let pool: pg.Pool;
let superuser: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.roles.ingest);
  superuser = new pg.Client(database.superuser);
  await superuser.connect();
});
afterAll(async () => {
  await pool?.end();
  await superuser?.end();
  await database?.[Symbol.asyncDispose]();
});

type Kind = 'file' | 'user';
/** In the order of their bytes, which is not that of a language. */
const ids = ['A', 'B', 'a', 'b'];

/** Changes entities in one batch, in the order of `changed`, as a lane does. */
async function writeBatch(
  tenantId: string,
  {
    kind,
    version,
    changed,
    merge = mergeParts,
  }: { kind: Kind; version: number; changed: string[]; merge?: MergeParts },
): Promise<void> {
  const changes = changed.map((id) =>
    readChange(entityMessage(kind, tenantId, id, version, { displayName: id, name: id })),
  );
  await withConnection(pool, async (client) => {
    await client.query('begin');
    await writeEntityChanges(client, changes, () => new Date().toISOString(), merge);
    await client.query('commit');
  });
}

async function beginBackfill(kind: Kind, tenantId: string): Promise<void> {
  await superuser.query(
    `insert into models.log_tally_backfill (tally, until_at, next_at, next_key) values ($1, now(), now(), $2)
     on conflict (tally) do update set next_at = excluded.next_at, next_key = excluded.next_key`,
    [kind, `${tenantId}/`],
  );
}

const areWaiting = async (count: number): Promise<boolean> =>
  (
    await superuser.query(
      `select from pg_stat_activity where datname = current_database() and usename = 'tenantscope_ingest' and wait_event_type = 'Lock'`,
    )
  ).rows.length === count;

/** Runs a batch until it waits for what `lock` locks, then a step of the backfill until it waits too, and lets both continue. */
async function meet(kind: Kind, tenantId: string, lock: string, runBatch: () => Promise<void>): Promise<void> {
  await beginBackfill(kind, tenantId);
  const blocker = new pg.Client(database.superuser);
  await blocker.connect();
  await blocker.query('begin');
  await blocker.query(lock, [tenantId]);
  const batch = runBatch();
  const ended = Promise.allSettled([batch]);
  await eventually('the batch waits', 10_000, () => areWaiting(1));
  const step = Promise.allSettled([backfillLogTally(pool, { tally: kind })]);
  await eventually('the step waits', 10_000, () => areWaiting(2));
  await blocker.end();
  expect([...(await ended), ...(await step)]).toEqual([
    { status: 'fulfilled', value: undefined },
    { status: 'fulfilled', value: true },
  ]);
}

test.each<Kind>(['file', 'user'])(
  'a batch of %ss in any order waits for a backfill of them, or it waits for the batch',
  async (kind) => {
    const tenantId = randomUUID();
    await writeBatch(tenantId, { kind, version: 1, changed: ids });
    await meet(
      kind,
      tenantId,
      `select from models.entity_fact where tenant_id = $1 and kind = '${kind}' and id = 'a' for update`,
      () => writeBatch(tenantId, { kind, version: 2, changed: ids.toReversed() }),
    );
  },
);

test('a batch that withdraws a file waits for a backfill of files, or it waits for the batch', async () => {
  const tenantId = randomUUID();
  await writeBatch(tenantId, { kind: 'file', version: 1, changed: ids });
  // It turned out to be no file.
  const merge: MergeParts = (kind, parts) => (parts[0]?.id === 'A' ? null : mergeParts(kind, parts));
  await meet('file', tenantId, `select from models.entity_file where tenant_id = $1 and id = 'A' for update`, () =>
    writeBatch(tenantId, { kind: 'file', version: 2, changed: ['a', 'A'], merge }),
  );
  const { rows } = await superuser.query(
    `select id, is_deleted from models.entity_fact where tenant_id = $1 and is_deleted`,
    [tenantId],
  );
  expect(rows).toEqual([{ id: 'A', is_deleted: true }]);
});
