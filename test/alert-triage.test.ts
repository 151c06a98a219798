import { randomUUID } from 'node:crypto';
import { type RecordState, readRecords } from '@tenantscope/intake';
import { openPool, securityAlertTable, withConnection, writeStates } from '@tenantscope/store';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alertMessage, graphAlert } from './product/alerts.ts';
import { type TestDatabase, testDatabase } from './services/database.ts';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await testDatabase();
  pool = openPool(database.roles.ingest, { name: 'test', maxConnections: 1 });
}, 60_000);
afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
}, 60_000);

interface Saying {
  readonly version: number;
  readonly status: string | null;
}

const statuses = ['new', 'inProgress', 'resolved', 'unknown', null];
const isTakenUp = ({ status }: Saying) => status === 'inProgress' || status === 'resolved';

function stateOf(tenantId: string, { version, status }: Saying): RecordState {
  const lastUpdateDateTime = new Date(Date.UTC(2026, 10, 20) + version * 1_000).toISOString();
  const message = alertMessage(tenantId, graphAlert({ id: 'a', status, lastUpdateDateTime }));
  const context = {
    tenantOf: () => ({ azureTenantId: null }),
    nowMs: firstStampMs,
    maxValueBytes: 1e6,
    onlyElement: null,
  };
  const [outcome] = readRecords('rawAlert', { ...message, key: null }, context);
  if (outcome?.kind !== 'state') throw new Error(JSON.stringify(outcome));
  return outcome.state;
}

const firstStampMs = Date.UTC(2026, 10, 21);

/** Batches of one lane, each state a second after the one before; gives back when the alert was first taken up, by its row. */
async function deliver(batches: readonly (readonly Saying[])[]): Promise<Date | null> {
  const tenantId = randomUUID();
  let told = 0;
  for (const batch of batches) {
    const before = told;
    told += batch.length;
    const states = batch.map((saying) => stateOf(tenantId, saying));
    const stampOf = (index: number) => new Date(firstStampMs + (before + index) * 1_000).toISOString();
    await withConnection(pool, async (client) => {
      await client.query('begin');
      await writeStates(client, securityAlertTable, states, stampOf);
      await client.query('commit');
    });
  }
  const { rows } = await pool.query<{ first: Date | null }>(
    'select first_left_new_at as first from models.security_alert where tenant_id = $1',
    [tenantId],
  );
  return rows[0]?.first ?? null;
}

const sayings = fc.array(fc.record({ version: fc.nat(3), status: fc.constantFrom(...statuses) }), {
  minLength: 1,
  maxLength: 8,
});
const cut = (all: readonly Saying[], size: number) =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

test('an alert was first taken up when a state first told so, be that state the newest, an older one or a loser', async () => {
  await fc.assert(
    fc.asyncProperty(sayings, fc.integer({ min: 1, max: 3 }), async (said, size) => {
      const first = said.findIndex(isTakenUp);
      expect(await deliver(cut(said, size))).toEqual(first === -1 ? null : new Date(firstStampMs + first * 1_000));
      // Redelivery in any order adds later stamps only.
      expect(await deliver(cut([...said, ...said.toReversed()], size))).toEqual(
        first === -1 ? null : new Date(firstStampMs + first * 1_000),
      );
    }),
    { numRuns: 40 },
  );
}, 60_000);
