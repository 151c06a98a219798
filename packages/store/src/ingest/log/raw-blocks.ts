import type pg from 'pg';
import { CopyIn } from '../../connection/copy.ts';
import {
  compressBlock,
  compressContent,
  entryHeadBytes,
  type RawEntry,
  type RawFrame,
  rawBlockBytes,
  rawBlockRecords,
} from '../../resource/raw-block.ts';
import { copyHeader, copyTrailer, writeTimestamp, writeUuid } from '../row/binary-copy.ts';
import { joinNeighbors, readLogId, readStampMs, readTenantId } from '../row/log-lines.ts';
import type { PreparedRows } from '../row/log-rows.ts';
import { type RawTexts, readRawText, unpackFrames } from '../row/raw-texts.ts';

/** A block and its key in models.audit_log_raw. */
interface CompressedBlock {
  tenantId: string;
  /** Stamps of its rows. */
  earliestMs: number;
  latestMs: number;
  firstId: string;
  lastId: string;
  records: number;
  content: Buffer;
}

/** Blocks by the partition of their rows. */
export type PartitionBlocks = ReadonlyMap<string, readonly CompressedBlock[]>;

/**
 * Compresses the received texts of the rows that are written; `lines` by the partition of their stamps, each in the order of tenant and id.
 * After the duplicates were left out, so that a block has the records that were accepted first and no others.
 */
export async function compressRawBlocks(
  rows: PreparedRows,
  bytes: Buffer,
  linesByPartition: ReadonlyMap<string, readonly number[]>,
): Promise<PartitionBlocks> {
  const frames = unpackFrames(rows.raw);
  const blocks = new Map<string, CompressedBlock[]>();
  for (const [partition, lines] of linesByPartition) {
    const groups = groupLines(lines, rows);
    blocks.set(partition, await Promise.all(groups.map((group) => compressLines(group, rows, bytes, frames))));
  }
  return blocks;
}

/** Neighbouring lines of one tenant, as many as a block takes. */
function groupLines(lines: readonly number[], rows: PreparedRows): number[][] {
  const { raw } = rows;
  const groups: number[][] = [];
  let current: number[] = [];
  let size = 0;
  let tenantId = '';
  for (const line of lines) {
    const tenant = readTenantId(rows, line);
    const length = textLength(raw, line);
    if (tenant !== tenantId || current.length === rawBlockRecords || size + length > rawBlockBytes) {
      current = [];
      groups.push(current);
      size = 0;
      tenantId = tenant;
    }
    current.push(line);
    size += length;
  }
  return groups;
}

const textLength = ({ starts }: RawTexts, line: number): number =>
  (starts[line + 1] as number) - (starts[line] as number) - entryHeadBytes;

async function compressLines(
  lines: readonly number[],
  rows: PreparedRows,
  bytes: Buffer,
  frames: readonly RawFrame[],
): Promise<CompressedBlock> {
  const { starts, raw } = rows;
  const startOf = (line: number | undefined) => starts[line as number] as number;
  let [earliestMs, latestMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const line of lines) {
    const stampMs = readStampMs(bytes, startOf(line));
    earliestMs = Math.min(earliestMs, stampMs);
    latestMs = Math.max(latestMs, stampMs);
  }
  const isFramed = frames.length > 0 && lines.some((line) => (raw.frameIndexes[line] as number) >= 0);
  return {
    tenantId: readTenantId(rows, lines[0] as number),
    earliestMs,
    latestMs,
    firstId: readLogId(bytes, startOf(lines[0])),
    lastId: readLogId(bytes, startOf(lines.at(-1))),
    records: lines.length,
    content: await (isFramed
      ? compressBlock(lines.map((line) => toEntry(line, rows, bytes, frames)))
      : compressContent(joinEntries(lines, raw))),
  };
}

function toEntry(line: number, { starts, raw }: PreparedRows, bytes: Buffer, frames: readonly RawFrame[]): RawEntry {
  return {
    id: readLogId(bytes, starts[line] as number),
    text: readRawText(raw, line),
    frame: frames[raw.frameIndexes[line] as number] ?? null,
  };
}

/** Usually one piece, which is not copied: between neighbours are only the duplicates that were left out. */
function joinEntries(lines: readonly number[], { bytes, starts }: RawTexts): Buffer {
  const runs = joinNeighbors(lines, starts).map(({ from, to }) =>
    Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from),
  );
  return runs.length === 1 ? (runs[0] as Buffer) : Buffer.concat(runs);
}

/** Writes blocks into the partitions next to those of their rows. */
export async function writeRawBlocks(client: pg.PoolClient, blocks: PartitionBlocks): Promise<void> {
  for (const [partition, compressed] of blocks) {
    const name = partition.replace('audit_log_', 'audit_log_raw_');
    const copy = new CopyIn(`copy models.${name} (${columns}) from stdin (format binary)`, [
      copyHeader,
      ...compressed.flatMap((block) => [encodeRow(block), block.content]),
      copyTrailer,
    ]);
    client.query(copy);
    await copy.done;
  }
}

const columns = 'tenant_id, discovered_at, earliest_at, first_id, last_id, records, content';

/** Binary: as text, bytes take twice their length. */
function encodeRow({ tenantId, earliestMs, latestMs, firstId, lastId, records, content }: CompressedBlock): Buffer {
  const row = Buffer.alloc(2 + (4 + 16) + 2 * (4 + 8) + 2 * (4 + 16) + (4 + 4) + 4);
  let at = row.writeInt16BE(7);
  const putUuid = (uuid: string) => {
    at = row.writeInt32BE(16, at);
    writeUuid(row, uuid, at);
    at += 16;
  };
  const putTime = (ms: number) => {
    at = row.writeInt32BE(8, at);
    writeTimestamp(row, ms, at);
    at += 8;
  };
  putUuid(tenantId);
  putTime(latestMs);
  putTime(earliestMs);
  putUuid(firstId);
  putUuid(lastId);
  at = row.writeInt32BE(4, at);
  at = row.writeInt32BE(records, at);
  row.writeInt32BE(content.length, at);
  return row;
}
