import { randomUUID } from 'node:crypto';
import { type RecordState, readRecords } from '@tenantscope/intake';
import { withConnection } from '@tenantscope/store/connection';
import { securityAlertTable, writeStates } from '@tenantscope/store/ingest';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alertMessage, graphAlert } from '../installation/alert-messages.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.roles.ingest, { max: 1 });
});
afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

interface AlertState {
  readonly version: number;
  readonly status: string | null;
}

const statuses = ['new', 'inProgress', 'resolved', 'unknown', null];
const isTakenUp = ({ status }: AlertState) => status === 'inProgress' || status === 'resolved';

function stateOf(tenantId: string, { version, status }: AlertState): RecordState {
  const lastUpdateDateTime = new Date(Date.UTC(2026, 10, 20) + version * 1_000).toISOString();
  const message = alertMessage(tenantId, graphAlert({ id: 'a', status, lastUpdateDateTime }));
  const context = {
    findTenant: () => ({ azureTenantId: null }),
    nowMs: firstStampMs,
    maxValueBytes: 1e6,
    onlyElement: null,
  };
  const [outcome] = readRecords('rawAlert', { ...message, key: null }, context);
  if (outcome?.kind !== 'state') throw new Error(JSON.stringify(outcome));
  return outcome.state;
}

const firstStampMs = Date.UTC(2026, 10, 21);

/** Batches of one lane, each state a second after the previous one; returns the triage time in the row of the alert. */
async function deliver(batches: readonly (readonly AlertState[])[]): Promise<Date | null> {
  const tenantId = randomUUID();
  let stateCount = 0;
  for (const batch of batches) {
    const before = stateCount;
    stateCount += batch.length;
    const states = batch.map((state) => stateOf(tenantId, state));
    const stampOf = (index: number) => new Date(firstStampMs + (before + index) * 1_000).toISOString();
    await withConnection(pool, async (client) => {
      await client.query('begin');
      await writeStates(client, securityAlertTable, states, stampOf);
      await client.query('commit');
    });
  }
  const { rows } = await pool.query<{ first: Date | null }>(
    'select first_triaged_at as first from models.security_alert where tenant_id = $1',
    [tenantId],
  );
  return rows[0]?.first ?? null;
}

const stateLists = fc.array(fc.record({ version: fc.nat(3), status: fc.constantFrom(...statuses) }), {
  minLength: 1,
  maxLength: 8,
});
const split = (all: readonly AlertState[], size: number) =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

test('the first triage time of an alert is that of the first stored state that shows triage, in any order of delivery', async () => {
  await fc.assert(
    fc.asyncProperty(stateLists, fc.integer({ min: 1, max: 3 }), async (states, size) => {
      const first = states.findIndex(isTakenUp);
      expect(await deliver(split(states, size))).toEqual(first === -1 ? null : new Date(firstStampMs + first * 1_000));
      // Redelivery in any order adds later stamps only.
      expect(await deliver(split([...states, ...states.toReversed()], size))).toEqual(
        first === -1 ? null : new Date(firstStampMs + first * 1_000),
      );
    }),
    { numRuns: 40 },
  );
});
