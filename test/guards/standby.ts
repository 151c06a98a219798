import { randomUUID } from 'node:crypto';
import { topics } from '@tenantscope/contract';
import type pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';

/** A database whose lanes are settled through a time: as a standby of an api it bounds what the api reports as settled. */
export async function createStandby(
  settledMs: number,
): Promise<{ database: TestDatabase; lanes: pg.Pool } & AsyncDisposable> {
  const database = await createTestDatabase();
  const lanes = openTestPool(database.superuser, { connectionTimeoutMillis: 5_000 });
  for (const { suffix } of Object.values(topics))
    await lanes.query(
      `insert into models.ingest_lane (cluster_id, topic_id, partition, topic, source, settled_at, opened) values ('still', $1, 0, $2, $2, $3, true)`,
      [randomUUID(), suffix, new Date(settledMs).toISOString()],
    );
  return {
    database,
    lanes,
    async [Symbol.asyncDispose]() {
      await lanes.end();
      await database[Symbol.asyncDispose]();
    },
  };
}
