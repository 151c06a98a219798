import { randomBytes, randomUUID } from 'node:crypto';
import {
  type AuditLogRow,
  documentStampAt,
  keepLeaves,
  type LaneIdentity,
  type Leaves,
  type Ledger,
  type LogBatchOutcome,
  openEpoch,
  openLanes,
  openPool,
  prepareRows,
  readLanes,
  withConnection,
  writeLogBatch,
} from '@tenantscope/store';
import type pg from 'pg';
import type { TestDatabase } from '../services/database.ts';

/** Lanes of one topic, written as ingestion writes them but without Kafka, so that a test can stand between two statements. */
export interface WrittenLanes extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly leaves: Leaves;
  readonly lanes: readonly LaneIdentity[];
  /** Opens further lanes. */
  open(partitions: readonly number[]): Promise<void>;
  /** Writes rows where the lane stands, or at `fromOffset`. The batch waits for `beforeCommit`; what that throws undoes it. */
  write(
    partition: number,
    rows: readonly AuditLogRow[],
    options?: { fromOffset?: bigint; beforeCommit?: (client: pg.PoolClient) => Promise<void> },
  ): Promise<LogBatchOutcome>;
}

export async function writtenLanes(
  database: Pick<TestDatabase, 'roles'>,
  { partitions, name = 'test writer' }: { partitions: number; name?: string },
): Promise<WrittenLanes> {
  const ledger = { pool: openPool(database.roles.ingest, { name, maxConnections: 24 }), schema: 'models' } as const;
  const leaves = await keepLeaves(ledger.pool);
  await openEpoch(ledger);
  const topic = { clusterId: 'test', topicId: randomUUID(), topic: 'test.raw.activity.v1', source: 'raw.activity.v1' };
  const lanes: LaneIdentity[] = [];
  const open = async (wanted: readonly number[]) => {
    lanes.push(...(await openLanes(ledger, { ...topic, partitions: wanted })));
  };
  await open(Array.from({ length: partitions }, (_, partition) => partition));
  const laneOf = (partition: number): LaneIdentity => {
    const lane = lanes.find((one) => one.partition === partition);
    if (!lane) throw new Error(`lane ${partition} was not opened`);
    return lane;
  };
  return {
    ledger,
    leaves,
    lanes,
    open,
    async write(partition, rows, { fromOffset, beforeCommit } = {}) {
      const lane = laneOf(partition);
      const from = fromOffset ?? (await readLanes(ledger, [lane]))[0]?.nextOffset ?? 0n;
      const batch = {
        lane,
        fromOffset: from,
        toOffset: from + BigInt(Math.max(1, rows.length)),
        rows: prepareRows(rows, 1),
        deadLetters: [],
        alerts: [],
        settledLetters: [],
      };
      return withConnection(ledger.pool, (client) =>
        writeLogBatch(beforeCommit ? stoppedBeforeCommit(client, beforeCommit) : client, ledger, leaves, batch),
      );
    },
    [Symbol.asyncDispose]: () => ledger.pool.end(),
  };
}

/** The same connection, but that a test stands between the last statement and the commit. */
function stoppedBeforeCommit(
  client: pg.PoolClient,
  beforeCommit: (client: pg.PoolClient) => Promise<void>,
): pg.PoolClient {
  const query = async (...words: unknown[]): Promise<unknown> => {
    if (words[0] === 'commit') await beforeCommit(client);
    return Reflect.apply(client.query, client, words);
  };
  return new Proxy(client, {
    get: (target, member) => (member === 'query' ? query : Reflect.get(target, member, target)),
  });
}

/** A row as intake makes it, every one another; `occurredAtMs` is now unless given. */
export function logRow(
  tenantId: string,
  more: Partial<AuditLogRow['columns']> & { occurredAtMs?: number } = {},
): AuditLogRow {
  const { occurredAtMs = Date.now(), ...columns } = more;
  const random = randomBytes(10).toString('hex');
  const time = occurredAtMs.toString(16).padStart(12, '0');
  const id = `${time.slice(0, 8)}-${time.slice(8)}-8${random.slice(0, 3)}-9${random.slice(3, 6)}-${random.slice(6, 18)}`;
  const occurredAt = new Date(occurredAtMs).toISOString();
  const document = `{"id":"${id}","occurredAt":"${occurredAt}","discoveredAt":"${' '.repeat(24)}","action":"FileAccessed"}`;
  if (document.indexOf(' '.repeat(24)) !== documentStampAt) throw new Error('the document has its hole elsewhere');
  return {
    tenantId,
    id,
    occurredAtMs,
    document,
    sourceName: null,
    facts: [],
    columns: {
      severity: 'low',
      action: 'fileaccessed',
      actorId: null,
      actorType: null,
      actorIp: null,
      resourceId: null,
      resourceType: null,
      workload: null,
      sourceType: null,
      clientApp: null,
      deviceId: null,
      isManagedDevice: null,
      applicationId: null,
      externalEventId: null,
      outcome: null,
      recordType: null,
      ...columns,
    },
  };
}
