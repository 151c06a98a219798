import type { RecordTopicName } from '@tenantscope/contract';
import { type RecordState, readRecords } from '@tenantscope/intake';
import { readErrorCode } from '@tenantscope/store/connection';
import {
  actionTable,
  agentEvidenceTable,
  complianceRecordTable,
  detectionTable,
  notificationTable,
  policyScanTable,
  type RecordTable,
  securityAlertTable,
  writeStates,
} from '@tenantscope/store/ingest';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alertMessage } from '../installation/alert-messages.ts';
import {
  actionState,
  detectionState,
  notificationRecord,
  policyScanState,
  type RecordMessage,
  recordMessage,
} from '../installation/feed-records.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { isLong } from '../torture/random.ts';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.roles.ingest);
});
afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

const tenantId = '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80';

/** One delivery of a record. Two deliveries of one version are rivals. */
interface Delivery {
  readonly number: number;
  readonly version: number;
  readonly rival: number;
}

const feeds: readonly [
  topic: RecordTopicName,
  table: RecordTable,
  say: (delivery: Delivery) => RecordMessage | ReturnType<typeof alertMessage>,
][] = [
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
  // Deletions are among their deliveries.
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
  // One alert as two APIs report it: its evidence arrives with a state and leaves with a later one without it.
  [
    'rawAlert',
    securityAlertTable,
    ({ number, version, rival }) => {
      const lastUpdate = `2026-11-20T0${version}:00:00Z`;
      const evidence = version % 2 === 0 ? [] : [{ entityType: 'Ip', ipAddress: `192.0.2.${rival}` }];
      const endpoint = { id: `alert-${number}`, lastUpdateTime: lastUpdate, title: `Rival ${rival}`, evidence };
      const graph = { id: `alert-${number}`, lastUpdateDateTime: lastUpdate, title: `Rival ${rival}`, incidentId: '7' };
      return rival === 0
        ? alertMessage(tenantId, graph, 'graph.security.alert')
        : alertMessage(tenantId, endpoint, 'mde.alert');
    },
  ],
];

const arbitraryDelivery = fc.record({ number: fc.nat(3), version: fc.integer({ min: 1, max: 4 }), rival: fc.nat(2) });

/** All deliveries, some repeated, in any order, split into batches that two lanes write at the same time. */
function deliveryOf(sayings: readonly Delivery[]): fc.Arbitrary<readonly (readonly Delivery[])[]> {
  const repeats = fc.subarray([...sayings]);
  return repeats.chain((again) => {
    const all = [...sayings, ...again];
    return fc
      .tuple(fc.shuffledSubarray(all, { minLength: all.length }), fc.array(fc.nat(all.length), { maxLength: 5 }))
      .map(([order, sizes]) => {
        const edges = [0, ...sizes.toSorted((a, b) => a - b), order.length];
        return edges.slice(1).map((edge, index) => order.slice(edges[index], edge));
      });
  });
}

const twoDeliveries = fc
  .uniqueArray(arbitraryDelivery, {
    minLength: 1,
    maxLength: 24,
    comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
  })
  .chain((sayings) =>
    fc.record({ sayings: fc.constant(sayings), first: deliveryOf(sayings), second: deliveryOf(sayings) }),
  );

test.each(feeds)('%s stores the same rows for every order of delivery', async (topic, table, toMessage) => {
  const stateOf = (delivery: Delivery): RecordState => {
    const context = {
      findTenant: () => ({ azureTenantId: null }),
      nowMs: Date.UTC(2026, 10, 21),
      maxValueBytes: 1e6,
      onlyElement: null,
      producedAtMs: null,
    };
    const [outcome] = readRecords(topic, toMessage(delivery) as never, context);
    if (outcome?.kind !== 'state') throw new Error(JSON.stringify(outcome));
    return outcome.state;
  };
  const deliver = async (batches: readonly (readonly Delivery[])[]) => {
    await emptyTable(table.name);
    let stampMs = Date.UTC(2026, 10, 21);
    const lane = async (own: readonly (readonly Delivery[])[]) => {
      for (const batch of own) await write(table, batch.map(stateOf), () => new Date(stampMs++).toISOString());
    };
    const lanes = [0, 1].map((which) => lane(batches.filter((_, index) => index % 2 === which)));
    // Both have ended before the next step, even when one failed.
    for (const ended of await Promise.allSettled(lanes)) if (ended.status === 'rejected') throw ended.reason;
    return rowsOf(table);
  };
  await fc.assert(
    fc.asyncProperty(twoDeliveries, async ({ sayings, first, second }) => {
      const expected = newestStates(sayings.map(stateOf));
      expect(await deliver(first)).toEqual(expected);
      expect(await deliver(second)).toEqual(expected);
    }),
    // A broken rule was found after 1 to 3 runs.
    { numRuns: isLong ? 100 : 30 },
  );
});

/** The product deletes none of these rows, so no login of it may. */
async function emptyTable(name: string): Promise<void> {
  const superuser = new pg.Client(database.superuser);
  await superuser.connect();
  await superuser.query(`truncate models.${name}`);
  await superuser.end();
}

/** As a lane does: a batch that the database aborted, for example in a deadlock, is written again. */
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
        if (readErrorCode(error) !== '40P01') throw error;
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

/** The stored rows without their write times. */
async function rowsOf(table: RecordTable): Promise<Row[]> {
  const { rows } = await pool.query<Row & { document: string; detail: string | null }>(
    `select id, version::float8, encode(digest, 'hex') as digest, document, detail from models.${table.name} order by id`,
  );
  return rows.map(({ id, version, digest, document, detail }) => {
    const { updatedAt: _, ...members } = JSON.parse(detail ?? document) as Record<string, unknown>;
    return { id, version, digest, members: JSON.stringify(members) };
  });
}

/** The expected final rows, computed from all deliveries at once. */
function newestStates(states: readonly RecordState[]): Row[] {
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
      const head = { id, version, changeId: `${id}:${version}`, tenantId };
      const rest = JSON.parse(`{${members}${detailMembers ? `,${detailMembers}` : ''}}`) as object;
      return { id, version, digest: digest.toString('hex'), members: JSON.stringify({ ...head, ...rest }) };
    });
}
