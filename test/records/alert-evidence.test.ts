import { mergeAlertEvidence, type RecordState, readRecords } from '@tenantscope/intake';
import { readErrorCode } from '@tenantscope/store/connection';
import { alertPartsMax, type StateOutcome, writeAlertStates } from '@tenantscope/store/ingest';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { alertMessage } from '../installation/alert-messages.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { isLong } from '../torture/random.ts';

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
  await superuser.end();
  await pool.end();
  await database[Symbol.asyncDispose]();
});
beforeEach(() => emptyTables());

const tenantId = '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80';

function toState(payload: unknown, format = 'm365d.advanced-hunting'): RecordState {
  const context = {
    findTenant: () => ({ azureTenantId: null }),
    nowMs: Date.UTC(2026, 10, 21),
    maxValueBytes: 1e6,
    onlyElement: null,
    producedAtMs: null,
  };
  const [outcome] = readRecords('rawAlert', { ...alertMessage(tenantId, payload, format), key: null }, context);
  if (outcome?.kind !== 'state') throw new Error(JSON.stringify(outcome));
  return outcome.state;
}

const hunting = (table: string, id: string, hour: number, columns: Record<string, unknown>) =>
  toState({
    category: `AdvancedHunting-${table}`,
    properties: { Timestamp: `2026-11-20T0${hour}:00:00Z`, AlertId: id, ...columns },
  });
const evidence = (id: string, columns: Record<string, unknown>, hour = 1) =>
  hunting('AlertEvidence', id, hour, { EntityType: 'Ip', ...columns });
const info = (id: string, hour = 1) =>
  hunting('AlertInfo', id, hour, {
    Title: `As of ${hour}`,
    Severity: 'High',
    AttackTechniques: '["Scripting (T1064)"]',
  });
const graph = (id: string, hour: number, address: string) =>
  toState(
    {
      id,
      lastUpdateDateTime: `2026-11-20T0${hour}:00:00Z`,
      title: `Of Graph as of ${hour}`,
      status: 'inProgress',
      evidence: [{ '@odata.type': '#microsoft.graph.security.ipEvidence', ipAddress: address, roles: ['source'] }],
    },
    'graph.security.alert',
  );

/** One delivery: a state of the alert from either source, or one of its pieces of evidence. */
const arbitraryDelivery = fc.record({
  number: fc.nat(2),
  hour: fc.integer({ min: 1, max: 3 }),
  kind: fc.constantFrom('info', 'graph', 'address', 'user', 'technique'),
});

function stateOf({ number, hour, kind }: { number: number; hour: number; kind: string }): RecordState {
  const id = `alert-${number}`;
  if (kind === 'info') return info(id, hour);
  if (kind === 'graph') return graph(id, hour, `192.0.2.${hour}`);
  const columns = {
    address: { RemoteIP: `192.0.2.${hour}`, EvidenceRole: ['Related', 'Impacted'][number % 2] },
    user: { AccountObjectId: 'u-1', AccountName: `name ${hour}`, EntityType: 'User' },
    technique: { AttackTechniques: `["T${hour}"]`, Title: `Piece ${hour}` },
  }[kind];
  return evidence(id, columns ?? {}, hour);
}

let stampMs = Date.UTC(2026, 10, 21);

/** As a lane does: a batch that the database aborted is written again. */
async function write(states: readonly RecordState[]): Promise<StateOutcome[]> {
  const client = await pool.connect();
  try {
    for (;;) {
      try {
        await client.query('begin');
        const stampOf = () => new Date(stampMs++).toISOString();
        const outcomes = await writeAlertStates(client, states, stampOf, mergeAlertEvidence);
        await client.query('commit');
        return outcomes;
      } catch (error) {
        await client.query('rollback');
        if (readErrorCode(error) !== '40P01') throw error;
      }
    }
  } finally {
    client.release();
  }
}

/** The product truncates none of these tables, so no login of it may. */
async function emptyTables(): Promise<void> {
  await superuser.query('truncate models.security_alert, models.security_alert_part');
}

type Document = Record<string, unknown> & { version: number; updatedAt: string; ips: { id: string }[] };

async function readDocuments(): Promise<Document[]> {
  const { rows } = await pool.query<{ document: string; detail: string }>(
    'select document, detail from models.security_alert order by id',
  );
  for (const { document, detail } of rows) expect(JSON.parse(detail)).toMatchObject(JSON.parse(document));
  return rows.map(({ detail }) => JSON.parse(detail) as Document);
}

/** Everything that is stored, without the times of writing. */
async function readRows(): Promise<unknown> {
  const { rows } = await pool.query(
    `select id, version, encode(digest, 'hex') as digest, severity, status, category, service_source, is_resolved, created_at,
            document::jsonb - 'updatedAt' as document, detail::jsonb - 'updatedAt' as detail
       from models.security_alert order by id`,
  );
  return rows;
}

test('alerts and their evidence end in the same rows for every order of delivery', async () => {
  const shuffled = (all: readonly RecordState[]) =>
    fc.tuple(
      fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 }),
      fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 5 }),
    );
  const deliveries = fc
    .uniqueArray(arbitraryDelivery, { minLength: 1, maxLength: 24, selector: (one) => JSON.stringify(one) })
    .map((all) => all.map(stateOf))
    .chain((all) => fc.record({ all: fc.constant(all), first: shuffled(all), second: shuffled(all) }));
  const deliver = async ([states, sizes]: [readonly RecordState[], readonly number[]]) => {
    await emptyTables();
    const batches: RecordState[][] = [];
    for (let at = 0; at < states.length; at += batches.at(-1)?.length ?? 0)
      batches.push(states.slice(at, at + (sizes[batches.length % sizes.length] as number)));
    const lane = async (which: number) => {
      for (const [index, batch] of batches.entries()) if (index % 2 === which) await write(batch);
    };
    for (const ended of await Promise.allSettled([lane(0), lane(1)]))
      if (ended.status === 'rejected') throw ended.reason;
    return readRows();
  };
  await fc.assert(
    fc.asyncProperty(deliveries, async ({ all, first, second }) => {
      const expected = await deliver([all, [all.length]]);
      expect(await deliver(first)).toEqual(expected);
      expect(await deliver(second)).toEqual(expected);
    }),
    { numRuns: isLong ? 100 : 25 },
  );
});

test('evidence that arrives before its alert is served, and stays when the alert arrives', async () => {
  const first = evidence('a', { RemoteIP: '192.0.2.1', Title: 'Known', Severity: 'Low' }, 2);
  expect(await write([first, evidence('a', { AccountObjectId: 'u-1', EntityType: 'User' }, 3)])).toEqual([
    'applied',
    'applied',
  ]);
  const [before] = await readDocuments();
  expect(before).toMatchObject({
    version: 2,
    changeId: 'a:2',
    title: 'Known',
    severity: 'low',
    status: null,
    createdDateTime: '2026-11-20T02:00:00.000Z',
    users: [{ id: 'u-1' }],
    ips: [{ id: '192.0.2.1' }],
    rawData: null,
  });
  const alert = info('a', 1);
  await write([alert]);
  const [after] = await readDocuments();
  expect(after).toMatchObject({
    version: alert.version + 2,
    title: 'As of 1',
    severity: 'high',
    mitreTechniques: ['T1064'],
    users: [{ id: 'u-1' }],
    ips: [{ id: '192.0.2.1' }],
    rawData: { category: 'AdvancedHunting-AlertInfo' },
  });
  expect(await write([first])).toEqual(['same']);
  expect(await readDocuments()).toEqual([after]);
});

test('evidence stays on the alert when a later state arrives, and an earlier state changes nothing', async () => {
  await write([graph('a', 2, '192.0.2.2')]);
  await write([evidence('a', { RemoteIP: '192.0.2.1', EvidenceRole: 'Impacted' })]);
  const [before] = await readDocuments();
  expect(before?.ips).toMatchObject([
    { id: '192.0.2.2', roles: ['source'] },
    { id: '192.0.2.1', roles: ['impacted'] },
  ]);
  expect(await write([info('a', 1)])).toEqual(['stale']);
  expect(await readDocuments()).toEqual([before]);
  await write([graph('a', 3, '192.0.2.3')]);
  const [after] = await readDocuments();
  expect(after).toMatchObject({ title: 'Of Graph as of 3', ips: [{ id: '192.0.2.3' }, { id: '192.0.2.1' }] });
  expect(after?.version).toBeGreaterThan(before?.version ?? Infinity);
});

test('an alert without evidence in records of its own has no parts', async () => {
  await write([graph('a', 1, '192.0.2.1'), info('b')]);
  expect((await pool.query('select from models.security_alert_part')).rowCount).toBe(0);
});

test('of too many pieces every order of delivery retains the same ones, and the version rises with each change', async () => {
  const pieces = Array.from({ length: alertPartsMax + 40 }, (_, index) =>
    evidence('a', { RemoteIP: `192.0.${Math.floor(index / 250)}.${index % 250}` }),
  );
  const digest = ({ digest }: RecordState) => digest.toString('hex');
  const falling = pieces.toSorted((one, other) => (digest(one) < digest(other) ? 1 : -1));
  await write(falling.slice(0, alertPartsMax));
  let [before] = await readDocuments();
  for (const one of falling.slice(alertPartsMax)) {
    expect(await write([one])).toEqual(['applied']);
    const [after] = await readDocuments();
    expect(after?.version).toBeGreaterThan(before?.version ?? Infinity);
    before = after;
  }
  expect(await write(falling.slice(0, 40))).toEqual(Array(40).fill('stale'));
  const expected = await readRows();
  expect((await pool.query('select from models.security_alert_part')).rowCount).toBe(alertPartsMax);
  await emptyTables();
  await write(pieces);
  expect(await readRows()).toEqual(expected);
  await write([info('a')]);
  const [{ version, ips }] = (await readDocuments()) as [Document];
  expect(version).toBeGreaterThan(before?.version ?? Infinity);
  expect(ips).toHaveLength(100);
});

test('evidence of an alert whose id has quotes changes nothing else of the alert', async () => {
  const id = `a","tenantId":"${tenantId}","b`;
  await write([info(id, 2)]);
  const [before] = await readDocuments();
  await write([evidence(id, { RemoteIP: '192.0.2.1' })]);
  const [after] = await readDocuments();
  expect({ ...after, version: 0, changeId: '', updatedAt: '', ips: [] }).toEqual({
    ...before,
    version: 0,
    changeId: '',
    updatedAt: '',
  });
  expect(after?.ips).toMatchObject([{ id: '192.0.2.1' }]);
});
