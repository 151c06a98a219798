import { lineMembers } from '@tenantscope/contract';
import { DocumentWriter, readLinesLength } from '../../read/log/log-document.ts';
import type { PieceCodec } from '../../resource/piece-codec.ts';
import { sealedColumns, sealedElementOid } from '../../resource/sealed-columns.ts';
import { areSealedDocuments, type JoinedDocuments } from '../../resource/sealed-documents.ts';
import { readTimestamp, readUuid, writeUuid } from '../row/binary-copy.ts';
import { type CopiedRows, isArrayOf, type RowSlice, writeArrayField } from './copied-rows.ts';
import type { SealBuffers } from './seal-buffers.ts';
import { type BlockKey, blockColumns, sealedFields } from './seal-sql.ts';

/** A block whose rows were read. */
export interface OpenBlock {
  readonly key: BlockKey;
  readonly slice: RowSlice;
  readonly documents: JoinedDocuments;
}

export const differs = ({ first_ms, first_id }: BlockKey, reason: string): Error =>
  new Error(
    `the sealed block at ${new Date(first_ms).toISOString()}, ${first_id} differs from the rows of the log: ${reason}`,
  );

/** Splits rows into blocks, each of which must have the rows that its key names, and writes their documents. */
export function openBlocks(
  rows: CopiedRows,
  keys: readonly BlockKey[],
  { tenantId, buffers }: { tenantId: string; buffers: SealBuffers },
): OpenBlock[] {
  const writer = new DocumentWriter(tenantId);
  let from = 0;
  const slices = keys.map((key): RowSlice => {
    const slice = { rows, from, to: from + key.rows };
    from = slice.to;
    if (slice.to > rows.count || !hasKey(slice, key)) throw differs(key, 'other rows');
    return slice;
  });
  if (from !== rows.count) throw differs(keys.at(-1) as BlockKey, `${rows.count - from} rows are in no block`);
  const texts = buffers.texts.reserve(slices.reduce((sum, slice) => sum + maxTextBytes(slice, writer), 0));
  let at = 0;
  return slices.map((slice, index): OpenBlock => {
    const documents = writeDocuments(slice, writer, texts, at);
    at += documents.text.length;
    return { key: keys[index] as BlockKey, slice, documents };
  });
}

const [idField, stampField] = ['id', 'discovered_at'].map((name) => sealedFields[sealedColumns.indexOf(name)]) as [
  number,
  number,
];
const lengthBytes = 4;

function hasKey({ rows, from, to }: RowSlice, { first_ms, first_id, last_ms, last_id }: BlockKey): boolean {
  const isAt = (row: number, ms: number, id: string) =>
    readTimestamp(rows.bytes, rows.fieldStart(row, stampField) + lengthBytes) === ms &&
    readUuid(rows.bytes, rows.fieldStart(row, idField) + lengthBytes) === id;
  return isAt(from, first_ms, first_id) && isAt(to - 1, last_ms, last_id);
}

const comma = 0x2c;

function maxTextBytes({ rows, from, to }: RowSlice, writer: DocumentWriter): number {
  let size = 0;
  for (let row = from; row < to; row++) size += writer.maxBytes(readLinesLength(rows.bytes, rows.rowStart(row))) + 1;
  return size;
}

function writeDocuments(
  { rows, from, to }: RowSlice,
  writer: DocumentWriter,
  target: Buffer,
  start: number,
): JoinedDocuments {
  const ends: number[] = [];
  let end = start;
  for (let row = from; row < to; row++) {
    if (row > from) target[end++] = comma;
    end = writer.write(rows.bytes, rows.rowStart(row), target, end);
    ends.push(end - start);
  }
  return { text: target.subarray(start, end), ends };
}

const arrayHeadBytes = 24;
/** Where the columns of a sealed row begin: after the number of fields come a uuid, two positions, an integer and a small one. */
const keyBytes = 2 + 20 + 2 * (12 + 20) + 8 + 6;

/** The rows of blocks up to their documents, in the binary format of COPY. */
export function encodeBlocks(blocks: readonly OpenBlock[], tenantId: string, buffers: SealBuffers): Buffer[] {
  const target = buffers.keysAndArrays.reserve(blocks.reduce((sum, { slice }) => sum + maxRowBytes(slice), 0));
  let at = 0;
  return blocks.map(({ slice }) => {
    const start = at;
    at = writeKey(target, start, slice, tenantId);
    for (const [index, column] of sealedColumns.entries())
      at = writeArrayField(target, at, slice, {
        field: sealedFields[index] as number,
        elementOid: sealedElementOid(column),
      });
    return target.subarray(start, at);
  });
}

/** Each field of the rows is an element, but the lines of members. */
const maxRowBytes = ({ rows, from, to }: RowSlice): number =>
  keyBytes + sealedColumns.length * arrayHeadBytes + rows.fieldEnd(to - 1, rows.fields - 1) - rows.rowStart(from);

function writeKey(target: Buffer, start: number, { rows, from, to }: RowSlice, tenantId: string): number {
  let at = target.writeInt16BE(blockColumns.length, start);
  at = target.writeInt32BE(16, at);
  writeUuid(target, tenantId, at);
  at += 16;
  for (const end of [from, to - 1])
    for (const field of [stampField, idField])
      at += rows.bytes.copy(target, at, rows.fieldStart(end, field), rows.fieldEnd(end, field));
  at = target.writeInt32BE(4, at);
  at = target.writeInt32BE(to - from, at);
  at = target.writeInt32BE(2, at);
  return target.writeInt16BE(lineMembers.length, at);
}

/** Whether a stored row has the key that was encoded, and its columns and documents are those of the rows of the log. */
export async function isSealedBlock(
  stored: CopiedRows,
  row: number,
  { slice, documents }: OpenBlock,
  { encoded, codec }: { encoded: Buffer; codec: PieceCodec },
): Promise<boolean> {
  const start = stored.rowStart(row);
  if (stored.bytes.compare(encoded, 0, keyBytes, start, start + keyBytes) !== 0) return false;
  const value = (column: string) => stored.value(row, blockColumns.indexOf(column));
  for (const [index, column] of sealedColumns.entries())
    if (!isArrayOf(value(column), slice, sealedFields[index] as number)) return false;
  const [deflated, parts, ends] = [value('documents'), value('document_parts'), value('document_ends')];
  if (deflated === null || parts === null || ends === null) return false;
  return areSealedDocuments({ deflated, parts, ends }, documents, codec);
}
