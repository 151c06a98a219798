import { randomUUID } from 'node:crypto';
import { mergeAlertEvidence } from '@tenantscope/intake';
import { withConnection } from '@tenantscope/store/connection';
import { backfillLogTally, detectionTable, writeAlertStates, writeStates } from '@tenantscope/store/ingest';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { isLong } from '../torture/random.ts';
import { recountIncidents, toIso } from './incident-recount.ts';
import { type Delivery, delivery, firstStampMs, toState } from './incident-states.ts';

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

let stampMs = firstStampMs;

async function write(tenantId: string, deliveries: readonly Delivery[]): Promise<void> {
  const stampOf = () => {
    stampMs += 1_000;
    return new Date(stampMs).toISOString();
  };
  const statesOf = (isAlert: boolean) =>
    deliveries.filter((one) => one.isAlert === isAlert).map((one) => toState(tenantId, one));
  await withConnection(pool, async (client) => {
    await client.query('begin');
    await writeStates(client, detectionTable, statesOf(false), stampOf);
    await writeAlertStates(client, statesOf(true), stampOf, mergeAlertEvidence);
    await client.query('commit');
  });
}

/** Two lanes at the same time, each in batches of this size. */
async function writeByTwoLanes(tenantId: string, deliveries: readonly Delivery[], size: number): Promise<void> {
  const batches = Array.from({ length: Math.ceil(deliveries.length / size) }, (_, at) =>
    deliveries.slice(at * size, (at + 1) * size),
  );
  await Promise.all(
    [0, 1].map(async (lane) => {
      for (const batch of batches.filter((_, index) => index % 2 === lane)) await write(tenantId, batch);
    }),
  );
}

async function readStored(tenantId: string): Promise<unknown[]> {
  const { rows } = await superuser.query(
    `select kind, id, opened_at, found_at, severity, status, level, entity_type, entity_id, action_group, is_resolved, resolved_at, taken_up_at,
            is_complete, concerns_mail, names
       from models.incident_fact where tenant_id = $1 order by kind, id collate "C"`,
    [tenantId],
  );
  return rows.map((row) => ({
    ...row,
    resolved_at: toIso(row.resolved_at),
    taken_up_at: toIso(row.taken_up_at),
  }));
}

test('facts of detections and alerts are those of their documents, for every order of states of two lanes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(delivery, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 6 }),
      async (deliveries, size) => {
        const tenantId = randomUUID();
        await writeByTwoLanes(tenantId, deliveries, size);
        const stored = await readStored(tenantId);
        expect(stored).toEqual(await recountIncidents(superuser, tenantId));
        expect(stored).not.toEqual([]);
      },
    ),
    { numRuns: isLong ? 500 : 60 },
  );
});

test('a state that changes no fact writes no row', async () => {
  const tenantId = randomUUID();
  const readPlaces = async () =>
    (await superuser.query('select ctid::text from models.incident_fact where tenant_id = $1', [tenantId])).rows;
  const state = (version: number, summary: string): Delivery => ({
    ...{ isAlert: false, number: 1, version },
    members: { status: 'open', severity: 'high', resolvedAt: null, summary },
  });
  await write(tenantId, [state(1, 'First.')]);
  const before = await readPlaces();
  expect(before).toHaveLength(1);
  await write(tenantId, [state(2, 'Second.')]);
  expect(await readPlaces()).toEqual(before);
});

test('documents that cannot be parsed are written: a document may lack a figure, but no record may stop a lane', async () => {
  const tenantId = randomUUID();
  const documents = [
    '',
    '{}',
    '{"users":[{"id":"\\ud800"}],"groups":[]}',
    '{"title":"t","users":[{"id":"\\u0000"}],"groups":[]}',
    '{"title":"t","users":[{,"groups":[]}',
    '{"title":"t","users":{"id":"u"},"groups":[]}',
    '{"title":"t","users":[5,null,"x"],"groups":[],"apps":[{"id":5}],"devices":[]}',
    '{"lastUpdateDateTime":"yesterday","resolvedAt":"2026-13-41T00:00:00Z"}',
  ];
  for (const [index, document] of documents.entries()) {
    const values = [tenantId, `i${index}`, document];
    await pool.query(
      `insert into models.security_alert (tenant_id, id, version, digest, updated_at, created_at, status, document, detail)
       values ($1, $2, 1, '', now(), now(), 'resolved', $3, $3)`,
      values,
    );
    await pool.query(
      `insert into models.detection (tenant_id, id, version, digest, updated_at, opened_at, status, severity, kind, detector_id, document)
       values ($1, $2, 1, '', now(), now(), 'resolved', 'high', 'anomaly', 'd', $3)`,
      values,
    );
  }
  const stored = (await readStored(tenantId)) as { resolved_at: unknown; taken_up_at: unknown }[];
  expect(stored).toHaveLength(2 * documents.length);
  expect(stored.filter(({ resolved_at, taken_up_at }) => resolved_at !== null || taken_up_at !== null)).toEqual([]);
  await superuser.query('delete from models.detection where tenant_id = $1', [tenantId]);
  await superuser.query('delete from models.security_alert where tenant_id = $1', [tenantId]);
  expect(await readStored(tenantId)).toEqual([]);
});

test('detections and alerts that are older than the table are added in steps, next to lanes that change them and a process that is killed', async () => {
  const tenants = [randomUUID(), randomUUID()].sort();
  await superuser.query('delete from models.incident_fact');
  await setTriggers('disable');
  for (const tenantId of tenants) await writeByTwoLanes(tenantId, fc.sample(delivery, { numRuns: 40, seed: 7 }), 7);
  for (const tenantId of tenants) expect(await readStored(tenantId)).toEqual([]);
  await setTriggers('enable');
  await beginBackfill('detection/00000000-0000-0000-0000-000000000000/');
  // A step that is not committed has done nothing.
  const killed = await pool.connect();
  await killed.query('begin; select models.backfill_incident_facts(1)');
  killed.release(new Error('killed'));
  const changes = fc.sample(delivery, { numRuns: 40, seed: 8 }).map((one) => ({ ...one, version: one.version + 6 }));
  const writing = Promise.all(tenants.map((tenantId) => writeByTwoLanes(tenantId, changes, 3)));
  const step = 'select models.backfill_incident_facts(1) as has_step';
  for (let steps = 0; steps < 5 && (await pool.query(step)).rows[0]?.has_step === true; steps++);
  await writing;
  while (await backfillLogTally(pool));
  for (const tenantId of tenants)
    expect(await readStored(tenantId)).toEqual(await recountIncidents(superuser, tenantId));
  const { rows } = await superuser.query(
    `delete from models.log_tally_backfill where tally = 'incident' returning next_at, next_key`,
  );
  expect(rows).toEqual([{ next_at: null, next_key: null }]);
}, 120_000);

test('a step waits for a change of a detection that is under way', async () => {
  const tenantId = randomUUID();
  await setTriggers('disable');
  await write(tenantId, [{ isAlert: false, number: 1, version: 1, members: {} }]);
  await setTriggers('enable');
  await beginBackfill(`detection/${tenantId}/`);
  const changing = await pool.connect();
  await changing.query('begin');
  await changing.query(`update models.detection set severity = 'critical' where tenant_id = $1`, [tenantId]);
  const step = pool.query('select models.backfill_incident_facts()');
  await eventually('the step waits', 10_000, async () => {
    const { rows } = await superuser.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%backfill_incident_facts%'`,
    );
    return rows.length > 0;
  });
  await changing.query('commit');
  changing.release();
  await step;
  expect(await readStored(tenantId)).toEqual(await recountIncidents(superuser, tenantId));
  await superuser.query(`delete from models.log_tally_backfill where tally = 'incident'`);
});

test('a batch of alerts with and without evidence waits for a step, or the step waits for it', async () => {
  const tenantId = randomUUID();
  const readState = (number: number, version: number) =>
    toState(tenantId, { isAlert: true, number, version, members: {} });
  const writeAlerts = (states: Parameters<typeof writeAlertStates>[1]) =>
    withConnection(pool, async (client) => {
      await client.query('begin');
      await writeAlertStates(client, states, () => new Date(stampMs).toISOString(), mergeAlertEvidence);
      await client.query('commit');
    });
  const areWaiting = async (count: number) => {
    const { rows } = await superuser.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length === count;
  };
  await writeAlerts([0, 1, 2].map((number) => readState(number, 1)));
  await beginBackfill(`securityAlert/${tenantId}/`);
  const blocker = new pg.Client(database.superuser);
  await blocker.connect();
  await blocker.query('begin');
  await blocker.query('select from models.security_alert where tenant_id = $1 and id = $2 for update', [
    tenantId,
    readState(2, 1).id,
  ]);
  const batch = writeAlerts([{ ...readState(0, 2), isPart: true }, readState(1, 2), readState(2, 2)]);
  const ended = Promise.allSettled([batch]);
  await eventually('the batch waits', 10_000, () => areWaiting(1));
  const step = Promise.allSettled([backfillLogTally(pool, { tally: 'incident' })]);
  await eventually('the step waits', 10_000, () => areWaiting(2));
  await blocker.end();
  expect([...(await ended), ...(await step)]).toEqual([
    { status: 'fulfilled', value: undefined },
    { status: 'fulfilled', value: true },
  ]);
  expect(await readStored(tenantId)).toEqual(await recountIncidents(superuser, tenantId));
  await superuser.query(`delete from models.log_tally_backfill where tally = 'incident'`);
});

const beginBackfill = (key: string) =>
  superuser.query(
    `insert into models.log_tally_backfill (tally, until_at, next_at, next_key) values ('incident', now(), now(), $1)`,
    [key],
  );

async function setTriggers(state: 'enable' | 'disable'): Promise<void> {
  for (const table of ['detection', 'security_alert'])
    await superuser.query(`alter table models.${table} ${state} trigger user`);
}

test('texts are put in lower case by the server as by JavaScript', async () => {
  const characters = Array.from({ length: 0x2_0000 }, (_, code) => code)
    .filter((code) => code > 0 && (code < 0xd800 || code > 0xdfff))
    .map((code) => String.fromCodePoint(code));
  const { rows } = await superuser.query<{ text: string; lower: string }>(
    'select text, models.lower_case(text) as lower from unnest($1::text[]) text',
    [characters],
  );
  // In lower case İ is two characters; it stays as it is.
  const differing = rows.filter(({ text, lower }) => lower !== text.toLowerCase());
  expect(differing.map(({ text }) => text)).toEqual(['İ']);
  expect(rows).toHaveLength(characters.length);
});
