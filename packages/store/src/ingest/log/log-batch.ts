import type pg from 'pg';
import { CopyIn } from '../../connection/copy.ts';
import { isRetryable, readErrorCode } from '../../connection/errors.ts';
import { type AgentSightings, writeAgentSightings } from '../entity/agent-sightings.ts';
import { type DeadLetter, type Replay, settleReplays, writeDeadLetters } from '../lane/dead-letter.ts';
import { countImported, type ImportedMessage } from '../lane/import-outcomes.ts';
import { advanceLane, type LaneAdvance, type LaneIdentity, type Ledger } from '../lane/lane.ts';
import { areMovesStale, spreadStamps } from '../lane/lane-step.ts';
import { createStateProgress, type ProgressDelta, sumProgress, writeProgress } from '../lane/source-progress.ts';
import { type MergeEvidence, writeAlertStates } from '../record/alert-batch.ts';
import type { RecordState } from '../record/record-batch.ts';
import { copyHeader, copyTrailer } from '../row/binary-copy.ts';
import {
  encodeLogIds,
  encodeTenantIds,
  identityBytes,
  identityColumns,
  joinNeighbors,
  readLogIdMs,
  stampLine,
  writeIdentity,
} from '../row/log-lines.ts';
import { copyColumns, type PreparedRows } from '../row/log-rows.ts';
import { measureLogProgress, writeLogFacts } from './log-facts.ts';
import type { PartitionCache } from './partitions.ts';
import { compressRawBlocks, writeRawBlocks } from './raw-blocks.ts';
import { writeFileReads } from './write-file-reads.ts';
import { writeTallies } from './write-tallies.ts';

export interface LogBatch {
  lane: LaneIdentity;
  /** The lane must be at this offset, or nothing is written. */
  fromOffset: bigint;
  toOffset: bigint;
  rows: PreparedRows;
  /** Alerts that some of the rows report, and pieces of their evidence, in the order of the log: written in the same transaction. */
  alerts: readonly RecordState[];
  deadLetters: readonly DeadLetter[];
  /** Replays of dead letters that this batch turns into rows. */
  settledReplays: readonly Replay[];
  /** The batch's messages of imports, with the reasons of their dead letters. */
  imported?: readonly ImportedLogs[];
  /** Of the list of moving tenants that the batch was prepared with. */
  movesVersion?: string;
}

/** A message of an import in a batch; `ordinals` are those of its rows. */
export interface ImportedLogs extends Pick<ImportedMessage, 'importId' | 'sequence' | 'deadLetters'> {
  readonly ordinals: number[];
}

/** How rows change records that other topics write too. */
export interface LogMerging {
  mergeEvidence: MergeEvidence;
  agents: AgentSightings;
}

export type LogBatchOutcome =
  | { kind: 'written'; stampMs: number; inserted: number; duplicates: number; alerts: number }
  /** Another worker moved the lane: read it again. */
  | { kind: 'fenced' }
  /** A tenant was moved since the batch was prepared: prepare it again. */
  | { kind: 'moved' }
  /** A conflict with a concurrent transaction, or partitions changed: the same batch may be retried unchanged. */
  | { kind: 'again' };

const partitionsChanged = new Set(['42P01', '23514']);

/**
 * One Kafka batch becomes rows: lane, identities, rows, dead letters and stamps in one transaction. Anything but `written` has changed
 * nothing. Throws StoreUnavailable, QueryTimedOut, or the server's error when it rejects a row (the caller bisects).
 *
 * A hot path. Measured against a bare COPY of the same lines over one connection: see "npm run bench", ingestion.
 */
export async function writeLogBatch(
  client: pg.PoolClient,
  ledger: Ledger,
  partitions: PartitionCache,
  { mergeEvidence, agents }: LogMerging,
  batch: LogBatch,
): Promise<LogBatchOutcome> {
  try {
    const advance = await advanceLane(client, ledger, batch.lane, batch.fromOffset, batch.toOffset);
    if (!advance) {
      await client.query('rollback');
      return { kind: 'fenced' };
    }
    if (areMovesStale(batch, advance)) {
      await client.query('rollback');
      return { kind: 'moved' };
    }
    const bytes = Buffer.from(batch.rows.bytes.buffer, batch.rows.bytes.byteOffset, batch.rows.bytes.byteLength);
    const fresh = await dropDuplicates(client, partitions, batch.rows, bytes);
    const written = [...fresh.values()].flat().sort((a, b) => a - b);
    const stamped = stampRows(partitions, batch.rows, bytes, written, advance);
    const [blocks] = await Promise.all([
      compressRawBlocks(batch.rows, bytes, stamped),
      copyRows(client, batch.rows, bytes, fresh, stamped),
    ]);
    await writeRawBlocks(client, blocks);
    await writeLogFacts(client, batch.rows, bytes, written);
    await writeFileReads(client, partitions, batch.rows, bytes, written);
    await writeTallies(client, batch.lane, batch.rows, bytes, written);
    const alerts = await writeAlerts(client, batch.alerts, advance, mergeEvidence);
    const sightings = agents.collect(batch.rows, bytes, advance.stampMs);
    await writeAgentSightings(client, sightings, agents.projection, new Date(advance.stampMs).toISOString());
    await writeProgress(client, batch.lane, [...measureLogProgress(batch.rows, bytes, written), ...alerts]);
    if (batch.deadLetters.length > 0) await writeDeadLetters(client, ledger, batch.deadLetters);
    if (batch.settledReplays.length > 0) await settleReplays(client, ledger, batch.settledReplays);
    await countImported(client, batch.lane, countRows(batch, written));
    await client.query('commit');
    agents.confirm(sightings);
    const inserted = written.length;
    const duplicates = batch.rows.ordinals.length - inserted;
    return { kind: 'written', stampMs: advance.stampMs, inserted, duplicates, alerts: alerts.length };
  } catch (error) {
    const repeat =
      isRetryable(error) || partitionsChanged.has(readErrorCode(error)) || error instanceof MissingPartition;
    if (readErrorCode(error) !== '' || error instanceof MissingPartition) await client.query('rollback');
    if (!repeat) throw error;
    await partitions.refresh();
    return { kind: 'again' };
  }
}

/** A row is new or a duplicate, of a stored row or of an earlier one of the batch. */
function countRows({ rows, imported = [] }: LogBatch, written: readonly number[]): ImportedMessage[] {
  if (imported.length === 0) return [];
  const fresh = new Set(written.map((line) => rows.ordinals[line] as number));
  return imported.map(({ ordinals, ...message }) => {
    const inserted = ordinals.filter((ordinal) => fresh.has(ordinal)).length;
    return { ...message, rows: inserted, duplicates: ordinals.length - inserted };
  });
}

class MissingPartition extends Error {}

/** Rows to be written, by the partition of their identity; numbers of lines, in the order of the lines, which is that of tenant and id. */
type FreshRows = Map<string, number[]>;

/**
 * Leaves out rows that exist. A probe costs 4 % of the server's time where an insert-or-ignore ledger costs 36 %; the unique index
 * backs it: of two lanes that race with one id, one fails with 23505 and retries.
 */
async function dropDuplicates(
  client: pg.PoolClient,
  partitions: PartitionCache,
  { starts, ordinals }: PreparedRows,
  bytes: Buffer,
): Promise<FreshRows> {
  const linesByPartition: FreshRows = new Map();
  ordinals.forEach((_, line) => {
    push(linesByPartition, partitions.findIdentityPartition(readLogIdMs(bytes, starts[line] as number)), line);
  });
  for (const [partition, lines] of linesByPartition) {
    const { rows: found } = await client.query<{ position: number }>({
      name: `probe ${partition}`,
      text: `select requested.position::integer from unnest($1::uuid[], $2::uuid[]) with ordinality as requested (tenant_id, id, position)
              where exists (select from models.${partition} stored where stored.tenant_id = requested.tenant_id and stored.id = requested.id)`,
      // Bytes are sent in the binary format: of texts the server's parsing took as long as the search.
      values: [encodeTenantIds(bytes, starts, lines), encodeLogIds(bytes, starts, lines)],
    });
    if (found.length === 0) continue;
    const stored = new Set(found.map(({ position }) => position - 1));
    linesByPartition.set(
      partition,
      lines.filter((_, position) => !stored.has(position)),
    );
  }
  return linesByPartition;
}

/** Writes their stamps into the lines to be written; returns the lines by the partition of the stamp, in their order. */
function stampRows(
  partitions: PartitionCache,
  { starts, ordinals }: PreparedRows,
  bytes: Buffer,
  written: readonly number[],
  advance: LaneAdvance,
): Map<string, number[]> {
  const rankOf = rankNumbers(written.map((line) => ordinals[line] as number));
  const stampOf = spreadStamps(written.length, advance);
  const lines = new Map<string, number[]>();
  let partition = partitions.findLogPartition(advance.stampMs);
  for (const line of written) {
    const stampMs = stampOf(rankOf[ordinals[line] as number] as number);
    if (!partition || stampMs < partition.fromMs || stampMs >= partition.toMs)
      partition = partitions.findLogPartition(stampMs);
    if (!partition) throw new MissingPartition(`no partition for ${new Date(stampMs).toISOString()}`);
    stampLine(bytes, starts[line] as number, stampMs);
    push(lines, partition.name, line);
  }
  return lines;
}

async function copyRows(
  client: pg.PoolClient,
  { starts }: PreparedRows,
  bytes: Buffer,
  fresh: FreshRows,
  stamped: ReadonlyMap<string, readonly number[]>,
): Promise<void> {
  // Identities first and in one order everywhere: two batches that share ids wait for each other instead of deadlocking.
  for (const name of [...fresh.keys()].sort()) {
    const lines = fresh.get(name) ?? [];
    if (lines.length === 0) continue;
    const identities = Buffer.allocUnsafe(lines.length * identityBytes);
    lines.forEach((line, at) => {
      writeIdentity(bytes, starts[line] as number, identities, at * identityBytes);
    });
    await submit(client, copyBinary(name, identityColumns, [identities]));
  }
  for (const [name, lines] of stamped)
    await submit(client, copyBinary(name, copyColumns, joinLines(lines, starts, bytes)));
}

function copyBinary(table: string, columns: string, rows: readonly Buffer[]): CopyIn {
  return new CopyIn(`copy models.${table} (${columns}) from stdin (format binary)`, [copyHeader, ...rows, copyTrailer]);
}

/** Neighbouring lines leave as one chunk; usually the whole batch is one. */
const joinLines = (lines: readonly number[], starts: Uint32Array, bytes: Buffer): Buffer[] =>
  joinNeighbors(lines, starts).map(({ from, to }) => bytes.subarray(from, to));

/** Few batches hold any. */
async function writeAlerts(
  client: pg.PoolClient,
  alerts: readonly RecordState[],
  advance: LaneAdvance,
  mergeEvidence: MergeEvidence,
): Promise<ProgressDelta[]> {
  if (alerts.length === 0) return [];
  const stampMs = spreadStamps(alerts.length, advance);
  const stampOf = (index: number) => new Date(stampMs(index)).toISOString();
  const outcomes = await writeAlertStates(client, alerts, stampOf, mergeEvidence);
  return sumProgress(
    alerts.flatMap((state, index) =>
      outcomes[index] === 'applied' ? [createStateProgress(state, 'security_alerts', stampOf(index))] : [],
    ),
  );
}

/** The rank of each of these distinct numbers, indexed by the number. */
function rankNumbers(numbers: readonly number[]): Uint32Array {
  const sorted = Uint32Array.from(numbers).sort();
  const ranks = new Uint32Array((sorted.at(-1) ?? 0) + 1);
  sorted.forEach((number, rank) => {
    ranks[number] = rank;
  });
  return ranks;
}

function push<Value>(groups: Map<string, Value[]>, name: string, value: Value): void {
  const group = groups.get(name);
  if (group) group.push(value);
  else groups.set(name, [value]);
}

function submit(client: pg.PoolClient, copy: CopyIn): Promise<void> {
  client.query(copy);
  return copy.done;
}
