import type pg from 'pg';
import { CopyIn } from './copy.ts';
import { type DeadLetter, type Replay, setAside, settleReplays } from './dead-letter.ts';
import { codeOf, isWorthRepeating } from './failure.ts';
import { advanceLane, type LaneIdentity, type Ledger } from './lane.ts';
import type { Leaves } from './leaves.ts';
import { copyColumns, idOfLine, type PreparedRows, stampLine, tenantOfLine } from './log-rows.ts';

export interface LogBatch {
  lane: LaneIdentity;
  /** The lane must stand here, or nothing is written. */
  fromOffset: bigint;
  toOffset: bigint;
  rows: PreparedRows;
  deadLetters: readonly DeadLetter[];
  /** Replays of letters that this batch turns into rows. */
  settledLetters: readonly Replay[];
}

export type LogBatchOutcome =
  | { kind: 'written'; stampMs: number; inserted: number; duplicates: number }
  /** Another worker moved the lane: read it again. */
  | { kind: 'fenced' }
  /** A concurrent transaction stood in the way, or partitions changed: the same batch may be written again as it is. */
  | { kind: 'again' };

const spreadMs = 1_000;
const partitionsChanged = new Set(['42P01', '23514']);

/**
 * One Kafka batch becomes rows: lane, identities, rows, dead letters and stamps in one transaction. Anything but `written` has changed
 * nothing. Throws StoreUnavailable, QueryTimedOut, or the server's error when it refuses a row (the caller bisects).
 *
 * A hot path. Measured against a bare COPY of the same lines over one connection: see «npm run bench», ingestion.
 */
export async function writeLogBatch(
  client: pg.PoolClient,
  ledger: Ledger,
  leaves: Leaves,
  batch: LogBatch,
): Promise<LogBatchOutcome> {
  try {
    const advance = await advanceLane(client, ledger, batch.lane, batch.fromOffset, batch.toOffset);
    if (!advance) {
      await client.query('rollback');
      return { kind: 'fenced' };
    }
    const bytes = Buffer.from(batch.rows.bytes.buffer, batch.rows.bytes.byteOffset, batch.rows.bytes.byteLength);
    const fresh = await withoutKnown(client, leaves, batch.rows, bytes);
    await copyRows(client, leaves, bytes, fresh, advance);
    if (batch.deadLetters.length > 0) await setAside(client, ledger, batch.deadLetters);
    if (batch.settledLetters.length > 0) await settleReplays(client, ledger, batch.settledLetters);
    await client.query('commit');
    return {
      kind: 'written',
      stampMs: advance.stampMs,
      inserted: fresh.length,
      duplicates: batch.rows.ordinals.length - fresh.length,
    };
  } catch (error) {
    const repeat = isWorthRepeating(error) || partitionsChanged.has(codeOf(error)) || error instanceof NoLeaf;
    if (codeOf(error) !== '' || error instanceof NoLeaf) await client.query('rollback');
    if (!repeat) throw error;
    await leaves.read();
    return { kind: 'again' };
  }
}

class NoLeaf extends Error {}

interface FreshRow {
  start: number;
  end: number;
  ordinal: number;
  tenantId: string;
  id: string;
  identityLeaf: string;
}

/**
 * Leaves out rows that exist. A probe costs 4 % of the server's time where an insert-or-ignore ledger costs 36 %; the unique index stands
 * behind it: of two lanes that race with one id, one gets 23505 and comes again.
 */
async function withoutKnown(
  client: pg.PoolClient,
  leaves: Leaves,
  rows: PreparedRows,
  bytes: Buffer,
): Promise<FreshRow[]> {
  const perLeaf = new Map<string, FreshRow[]>();
  for (let index = 0; index < rows.ordinals.length; index++) {
    const start = rows.starts[index] as number;
    const id = idOfLine(bytes, start);
    const identityLeaf = leaves.identityOf(id);
    push(perLeaf, identityLeaf, {
      start,
      end: rows.starts[index + 1] as number,
      ordinal: rows.ordinals[index] as number,
      tenantId: tenantOfLine(bytes, start),
      id,
      identityLeaf,
    });
  }
  const known = new Set<string>();
  for (const [leaf, group] of perLeaf) {
    const { rows: found } = await client.query<{ id: string }>({
      name: `probe ${leaf}`,
      text: `select asked.id from unnest($1::uuid[], $2::uuid[]) as asked (tenant_id, id)
              where exists (select from models.${leaf} known where known.tenant_id = asked.tenant_id and known.id = asked.id)`,
      values: [group.map((row) => row.tenantId), group.map((row) => row.id)],
    });
    for (const { id } of found) known.add(id);
  }
  const fresh = [...perLeaf.values()].flat();
  return known.size === 0 ? fresh : fresh.filter((row) => !known.has(row.id));
}

async function copyRows(
  client: pg.PoolClient,
  leaves: Leaves,
  bytes: Buffer,
  fresh: readonly FreshRow[],
  advance: { beforeMs: number; stampMs: number },
): Promise<void> {
  if (fresh.length === 0) return;
  const rowChunks = new Map<string, Buffer[]>();
  const identityLines = new Map<string, string[]>();
  const stampOf = spreadStamps(fresh, advance);
  let leaf = leaves.logAt(advance.stampMs);
  for (const row of [...fresh].sort((a, b) => a.start - b.start)) {
    const stampMs = stampOf(row.ordinal);
    if (!leaf || stampMs < leaf.fromMs || stampMs >= leaf.toMs) leaf = leaves.logAt(stampMs);
    if (!leaf) throw new NoLeaf(`no partition holds ${new Date(stampMs).toISOString()}`);
    stampLine(bytes, row.start, new Date(stampMs).toISOString());
    push(rowChunks, leaf.name, bytes.subarray(row.start, row.end));
  }
  for (const row of fresh) push(identityLines, row.identityLeaf, `${row.tenantId}\t${row.id}\n`);
  // Identities first and in one order everywhere: two batches that share ids wait for each other instead of locking crosswise.
  for (const name of [...identityLines.keys()].sort()) {
    const lines = (identityLines.get(name) ?? []).sort();
    await submit(
      client,
      new CopyIn(`copy models.${name} (tenant_id, id) from stdin`, [Buffer.from(lines.join(''), 'latin1')]),
    );
  }
  for (const [name, chunks] of rowChunks) {
    await submit(client, new CopyIn(`copy models.${name} (${copyColumns}) from stdin`, joined(chunks)));
  }
}

/** Stamps rise with the offsets, evenly over what the lane had not settled, at most its last second: an instant holds few rows. */
function spreadStamps(
  fresh: readonly FreshRow[],
  advance: { beforeMs: number; stampMs: number },
): (ordinal: number) => number {
  const span = Math.min(advance.stampMs - advance.beforeMs, spreadMs);
  const first = advance.stampMs - span;
  const rank = new Map([...fresh].sort((a, b) => a.ordinal - b.ordinal).map((row, index) => [row.ordinal, index + 1]));
  return (ordinal) => first + Math.ceil(((rank.get(ordinal) ?? fresh.length) * span) / fresh.length);
}

/** Neighbouring lines leave as one chunk; usually the whole batch is one. */
function joined(chunks: readonly Buffer[]): Buffer[] {
  const out: Buffer[] = [];
  for (const chunk of chunks) {
    const last = out.at(-1);
    if (last && last.buffer === chunk.buffer && last.byteOffset + last.length === chunk.byteOffset) {
      out[out.length - 1] = Buffer.from(last.buffer, last.byteOffset, last.length + chunk.length);
    } else out.push(chunk);
  }
  return out;
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
