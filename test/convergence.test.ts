import { type RecordState, type RecordTopic, readRecords } from '@tenantscope/intake';
import {
  actionTable,
  agentEvidenceTable,
  codeOf,
  complianceRecordTable,
  detectionTable,
  notificationTable,
  policyScanTable,
  type RecordTable,
  writeStates,
} from '@tenantscope/store';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  actionState,
  detectionState,
  notificationRecord,
  policyScanState,
  type RecordMessage,
  recordMessage,
} from './product/feed-records.ts';
import { type TestDatabase, testDatabase } from './services/database.ts';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await testDatabase();
  pool = new pg.Pool({ connectionString: database.roles.ingest, max: 2 });
}, 60_000);
afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
}, 60_000);

const tenantId = '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80';

/** One thing said of one record. Two sayings of one version are rivals. */
interface Saying {
  readonly number: number;
  readonly version: number;
  readonly rival: number;
}

const feeds: readonly [topic: RecordTopic, table: RecordTable, say: (saying: Saying) => RecordMessage][] = [
  [
    'detection',
    detectionTable,
    ({ number, version, rival }) =>
      recordMessage('detection.upserted', detectionState(tenantId, number, version, { summary: `Rival ${rival}.` })),
  ],
  [
    'policyScan',
    policyScanTable,
    ({ number, version, rival }) =>
      recordMessage('policy-scan.upserted', policyScanState(tenantId, number, version, { resources: rival })),
  ],
  [
    'notification',
    notificationTable,
    ({ number, version, rival }) =>
      recordMessage(
        'notification.upserted',
        notificationRecord(tenantId, number, { version, mailSubject: `${rival}` }),
      ),
  ],
  [
    'action',
    actionTable,
    ({ number, version, rival }) =>
      recordMessage('action.upserted', actionState(tenantId, number, version, { actionName: `Rival ${rival}` })),
  ],
  // Deletions are among what is said of them.
  [
    'agentEvidence',
    agentEvidenceTable,
    ({ number, version, rival }) => {
      const grant = { id: `grant-${number}`, tenantId, version };
      const at = `2026-11-0${rival + 1}T00:00:00Z`;
      return rival === 0
        ? recordMessage('agent-evidence.permissionGrant.deleted', { ...grant, deletedAt: at })
        : recordMessage('agent-evidence.permissionGrant.upserted', {
            ...grant,
            changedAt: at,
            agentId: 'a',
            value: `${rival}`,
          });
    },
  ],
  [
    'compliance',
    complianceRecordTable,
    ({ number, version, rival }) =>
      recordMessage('compliance.riskClass.upserted', {
        id: `class-${number}`,
        tenantId,
        version,
        changedAt: `2026-11-0${version}T00:00:00Z`,
        subject: { type: 'agent', id: `a${number}` },
        class: ['high', 'minimal', 'unclassified'][rival],
      }),
  ],
];

const saying = fc.record({ number: fc.nat(3), version: fc.integer({ min: 1, max: 4 }), rival: fc.nat(2) });

/** All that is said, some of it twice, in any order, cut into batches that two lanes write at the same time. */
function deliveryOf(sayings: readonly Saying[]): fc.Arbitrary<readonly (readonly Saying[])[]> {
  const repeats = fc.subarray([...sayings]);
  return repeats.chain((again) => {
    const all = [...sayings, ...again];
    return fc
      .tuple(fc.shuffledSubarray(all, { minLength: all.length }), fc.array(fc.nat(all.length), { maxLength: 5 }))
      .map(([order, cuts]) => {
        const edges = [0, ...cuts.toSorted((a, b) => a - b), order.length];
        return edges.slice(1).map((edge, index) => order.slice(edges[index], edge));
      });
  });
}

const twoDeliveries = fc
  .uniqueArray(saying, { minLength: 1, maxLength: 24, comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b) })
  .chain((sayings) =>
    fc.record({ sayings: fc.constant(sayings), first: deliveryOf(sayings), second: deliveryOf(sayings) }),
  );

test.each(feeds)('%s: whatever the order of delivery, the same rows', async (topic, table, say) => {
  const stateOf = (said: Saying): RecordState => {
    const context = {
      tenantOf: () => ({ azureTenantId: null }),
      nowMs: Date.UTC(2026, 10, 21),
      maxValueBytes: 1e6,
      onlyElement: null,
      producedAtMs: null,
    };
    const [outcome] = readRecords(topic, say(said) as never, context);
    if (outcome?.kind !== 'state') throw new Error(JSON.stringify(outcome));
    return outcome.state;
  };
  const deliver = async (batches: readonly (readonly Saying[])[]) => {
    await emptyTable(table.name);
    let stampMs = Date.UTC(2026, 10, 21);
    const lane = async (own: readonly (readonly Saying[])[]) => {
      for (const batch of own) await write(table, batch.map(stateOf), () => new Date(stampMs++).toISOString());
    };
    const lanes = [0, 1].map((which) => lane(batches.filter((_, index) => index % 2 === which)));
    // Both have ended before anything else begins, also where one failed.
    for (const ended of await Promise.allSettled(lanes)) if (ended.status === 'rejected') throw ended.reason;
    return rowsOf(table);
  };
  await fc.assert(
    fc.asyncProperty(twoDeliveries, async ({ sayings, first, second }) => {
      const expected = lastWords(sayings.map(stateOf));
      expect(await deliver(first)).toEqual(expected);
      expect(await deliver(second)).toEqual(expected);
    }),
    { numRuns: 100 },
  );
});

/** The product deletes none of these rows, so none of its logins may. */
async function emptyTable(name: string): Promise<void> {
  const superuser = new pg.Client(database.superuser);
  await superuser.connect();
  await superuser.query(`truncate models.${name}`);
  await superuser.end();
}

/** As a lane does it: a batch that the database broke off, such as one of two that met crosswise, is written again. */
async function write(table: RecordTable, states: readonly RecordState[], stamp: () => string): Promise<void> {
  if (states.length === 0) return;
  const client = await pool.connect();
  try {
    for (;;) {
      try {
        await client.query('begin');
        await writeStates(client, table, states, stamp);
        await client.query('commit');
        return;
      } catch (error) {
        await client.query('rollback');
        if (codeOf(error) !== '40P01') throw error;
      }
    }
  } finally {
    client.release();
  }
}

interface Row {
  id: string;
  version: number;
  digest: string;
  members: string;
}

/** The rows as they stand but for when they were written. */
async function rowsOf(table: RecordTable): Promise<Row[]> {
  const { rows } = await pool.query<Row & { document: string; detail: string | null }>(
    `select id, version::int, encode(digest, 'hex') as digest, document, detail from models.${table.name} order by id`,
  );
  return rows.map(({ id, version, digest, document, detail }) => {
    const { updatedAt: _, ...members } = JSON.parse(detail ?? document) as Record<string, unknown>;
    return { id, version, digest, members: JSON.stringify(members) };
  });
}

/** What must stand in the end, worked out by looking at everything at once. */
function lastWords(states: readonly RecordState[]): Row[] {
  const last = new Map<string, RecordState>();
  for (const state of states) {
    const before = last.get(state.id);
    const isAbove =
      before === undefined ||
      state.version > before.version ||
      (state.version === before.version && Buffer.compare(state.digest, before.digest) > 0);
    if (isAbove) last.set(state.id, state);
  }
  return [...last.values()]
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, version, digest, members, detailMembers }) => {
      const head = { id, version, changeId: `${id}:${version}` };
      const rest = JSON.parse(`{${members}${detailMembers ? `,${detailMembers}` : ''}}`) as object;
      return { id, version, digest: digest.toString('hex'), members: JSON.stringify({ ...head, ...rest }) };
    });
}
