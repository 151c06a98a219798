import { compareTopic } from '@tenantscope/ingest/ledger-publisher';
import type { LedgerTopic } from '@tenantscope/publish';
import { createLog } from '@tenantscope/runtime';
import { openPool } from '@tenantscope/store/connection';
import { markPublished, openEpoch, readPendingEntries } from '@tenantscope/store/ingest';
import { expect, test } from 'vitest';
import {
  copyLedgerDatabases,
  createLedgerDatabases,
  hasOpenEpoch,
  query,
  readAsMessages,
  withLedgers,
} from './ledger-databases.ts';

// The topic of the ledger was lost and created again, so that its offsets are below those that the database knows.

test('a database that lacks an entry of a topic that was created again gets no epoch', async () => {
  await using current = await createLedgerDatabases('one database');
  await withLedgers(current, openEpoch);
  await withLedgers(current, async (ledger) => {
    const numbers = (await readPendingEntries(ledger, 1_000)).map(({ number }) => number);
    await markPublished(ledger, { numbers, offsets: numbers.map((_, index) => 500n + BigInt(index)) });
  });
  await using restored = await copyLedgerDatabases(current);
  await query(
    current.control,
    `insert into control.organization (id, name, digest) values (gen_random_uuid(), 'Larkspur', '')`,
  );
  const messages = await readAsMessages(current);
  expect(messages.length).toBeGreaterThan(0);

  const topic: LedgerTopic = {
    append: async () => [],
    readBounds: async () => ({ start: 0n, end: BigInt(messages.length) }),
    async *read(from, to) {
      yield messages.filter(({ offset }) => offset >= from && offset < to);
    },
    [Symbol.asyncDispose]: async () => {},
  };
  const pool = openPool(restored.control.roles.ingest, { name: 'test', maxConnections: 2 });
  try {
    const ledgers = [{ pool, schema: 'control' } as const, { pool, schema: 'models' } as const];
    expect(await compareTopic(topic, ledgers, true, createLog({ name: 'ingest', level: 'silent' }))).toBe(false);
  } finally {
    await pool.end();
  }
  expect(await hasOpenEpoch(restored.control, 'control')).toBe(false);
});
