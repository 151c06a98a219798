import type pg from 'pg';
import { CopyIn } from '../../connection/copy.ts';
import { copyHeader, copyTrailer } from '../row/binary-copy.ts';
import { encodeListedRead, type ListedRead, readColumns, sharedBytes } from '../row/file-reads.ts';
import { joinNeighbors, readOccurredMs } from '../row/log-lines.ts';
import { tenantAt } from '../row/log-row-layout.ts';
import type { PreparedRows } from '../row/log-rows.ts';
import { findReadPartition, type IdentityPartition, type PartitionCache } from './partitions.ts';

/** Writes the reads of the rows that were just written; the lines are stamped already. */
export async function writeFileReads(
  client: pg.PoolClient,
  partitions: PartitionCache,
  rows: PreparedRows,
  logBytes: Buffer,
  written: readonly number[],
): Promise<void> {
  const { starts, lines } = rows.reads;
  if (lines.length === 0) return;
  const bytes = Buffer.from(rows.reads.bytes.buffer, rows.reads.bytes.byteOffset, rows.reads.bytes.byteLength);
  const fresh = new Set(written);
  const byPartition = new Map<string, number[]>();
  for (let read = 0; read < lines.length; read++) {
    const line = lines[read] as number;
    if (!fresh.has(line)) continue;
    const lineStart = rows.starts[line] as number;
    logBytes.copy(bytes, (starts[read] as number) + tenantAt, lineStart + tenantAt, lineStart + tenantAt + sharedBytes);
    const name = partitions.findReadPartition(readOccurredMs(logBytes, lineStart));
    const group = byPartition.get(name);
    if (group) group.push(read);
    else byPartition.set(name, [read]);
  }
  for (const [name, reads] of byPartition) {
    const chunks = joinNeighbors(reads, starts).map(({ from, to }) => bytes.subarray(from, to));
    await copyReads(client, name, chunks);
  }
}

/** Writes reads of rows that were written before. */
export async function writeListedReads(
  client: pg.PoolClient,
  partitions: readonly IdentityPartition[],
  reads: readonly ListedRead[],
): Promise<void> {
  const byPartition = Map.groupBy(reads, ({ occurredMs }) => findReadPartition(partitions, occurredMs));
  for (const [name, some] of byPartition) await copyReads(client, name, some.map(encodeListedRead));
}

async function copyReads(client: pg.PoolClient, partition: string, chunks: readonly Buffer[]): Promise<void> {
  const copy = new CopyIn(`copy models.${partition} (${readColumns}) from stdin (format binary)`, [
    copyHeader,
    ...chunks,
    copyTrailer,
  ]);
  client.query(copy);
  await copy.done;
}
