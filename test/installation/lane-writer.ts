import { randomBytes, randomUUID } from 'node:crypto';
import { withConnection } from '@tenantscope/store/connection';
import {
  type AuditLogRow,
  createPartitionCache,
  type LaneIdentity,
  type Ledger,
  type LogBatchOutcome,
  openEpoch,
  openLanes,
  type PartitionCache,
  prepareRows,
  readLanes,
  writeLogBatch,
} from '@tenantscope/store/ingest';
import type pg from 'pg';
import type { TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { createLogMerging } from './log-merging.ts';

/** Lanes of one topic, written as ingestion writes them but without Kafka, so that a test can pause between two statements. */
export interface LaneWriter extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly partitionCache: PartitionCache;
  readonly lanes: readonly LaneIdentity[];
  /** Opens further lanes. */
  open(partitions: readonly number[]): Promise<void>;
  /** Writes rows at the position of the lane or at `fromOffset`. The batch waits for `beforeCommit` and is rolled back when that throws. */
  write(
    partition: number,
    rows: readonly AuditLogRow[],
    options?: { fromOffset?: bigint; beforeCommit?: (client: pg.PoolClient) => Promise<void> },
  ): Promise<LogBatchOutcome>;
}

/** Writes rows as a lane does: two lanes may conflict on one row, and the batch is then written again. */
export async function writeRows(lanes: LaneWriter, partition: number, rows: readonly AuditLogRow[]): Promise<void> {
  for (;;) {
    const { kind } = await lanes.write(partition, rows);
    if (kind === 'written') return;
    if (kind === 'fenced') throw new Error('the lane position changed');
  }
}

export async function openLaneWriter(
  database: Pick<TestDatabase, 'roles'>,
  { partitions, name = 'test writer' }: { partitions: number; name?: string },
): Promise<LaneWriter> {
  const ledger = {
    pool: openTestPool(database.roles.ingest, { max: 24, application_name: name }),
    schema: 'models',
  } as const;
  const partitionCache = await createPartitionCache(ledger.pool);
  await openEpoch(ledger);
  const topic = { clusterId: 'test', topicId: randomUUID(), topic: 'test.raw.activity.v1', source: 'raw.activity.v1' };
  const merging = createLogMerging();
  const lanes: LaneIdentity[] = [];
  const open = async (numbers: readonly number[]) => {
    lanes.push(...(await openLanes(ledger, { ...topic, partitions: numbers })));
  };
  await open(Array.from({ length: partitions }, (_, partition) => partition));
  const findLane = (partition: number): LaneIdentity => {
    const lane = lanes.find((one) => one.partition === partition);
    if (!lane) throw new Error(`lane ${partition} was not opened`);
    return lane;
  };
  return {
    ledger,
    partitionCache: partitionCache,
    lanes,
    open,
    async write(partition, rows, { fromOffset, beforeCommit } = {}) {
      const lane = findLane(partition);
      const from = fromOffset ?? (await readLanes(ledger, [lane]))[0]?.nextOffset ?? 0n;
      const batch = {
        lane,
        fromOffset: from,
        toOffset: from + BigInt(Math.max(1, rows.length)),
        rows: prepareRows(rows, 1),
        deadLetters: [],
        alerts: [],
        settledReplays: [],
      };
      return withConnection(ledger.pool, (client) =>
        writeLogBatch(
          beforeCommit ? pauseBeforeCommit(client, beforeCommit) : client,
          ledger,
          partitionCache,
          merging,
          batch,
        ),
      );
    },
    [Symbol.asyncDispose]: () => ledger.pool.end(),
  };
}

/** The same connection, but a test can pause it between the last statement and the commit. */
function pauseBeforeCommit(
  client: pg.PoolClient,
  beforeCommit: (client: pg.PoolClient) => Promise<void>,
): pg.PoolClient {
  const query = async (...parameters: unknown[]): Promise<unknown> => {
    if (parameters[0] === 'commit') await beforeCommit(client);
    return Reflect.apply(client.query, client, parameters);
  };
  return new Proxy(client, {
    get: (target, member) => (member === 'query' ? query : Reflect.get(target, member, target)),
  });
}

/** A row as intake creates it, each one different; `occurredAtMs` defaults to now. */
export function logRow(
  tenantId: string,
  more: Partial<AuditLogRow['columns']> & { occurredAtMs?: number } = {},
): AuditLogRow {
  const { occurredAtMs = Date.now(), ...columns } = more;
  const random = randomBytes(10).toString('hex');
  const time = occurredAtMs.toString(16).padStart(12, '0');
  const id = `${time.slice(0, 8)}-${time.slice(8)}-8${random.slice(0, 3)}-9${random.slice(3, 6)}-${random.slice(6, 18)}`;
  return {
    tenantId,
    id,
    occurredAtMs,
    memberLines: '"FileAccessed"',
    sourceName: null,
    facts: [],
    source: { text: Buffer.from(`{"Id":"${id}"}`), frame: null },
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
      errorCode: null,
      sessionId: null,
      correlationId: null,
      actorUserId: null,
      targetIds: null,
      ...columns,
    },
  };
}
