import { BatchError } from './batch-error.ts';
import { type CodecName, codecNames, decompress } from './decompression.ts';
import { type ByteCursor, readVarint, skipHeaders } from './record-headers.ts';
import type { BatchOrigin } from './undecodable-batch.ts';

/** Up to and including the number of records. */
export const batchHeaderBytes = 61;
/** The bytes before those that the length of a batch counts. */
export const lengthPrefixBytes = 12;
const codecMask = 0x07;
const logAppendTimeFlag = 0x08;
const transactionalFlag = 0x10;
const controlFlag = 0x20;

/**
 * What a record costs in memory next to its bytes. A record can have 7 bytes, so that 32 MiB, 40 kB in zstd, would be five million objects:
 * a batch may have one record for so many bytes of the bound.
 */
export const bytesPerRecord = 256;

/** The header of a batch (record format 2, since Kafka 0.11). */
export interface BatchHeader extends BatchOrigin {
  readonly firstOffset: bigint;
  readonly lastOffset: bigint;
  readonly firstTimestamp: number;
  readonly codec: CodecName | null;
  readonly codecNumber: number;
  readonly isLogAppendTime: boolean;
  readonly isTransactional: boolean;
  readonly isControl: boolean;
}

/** What kafkajs reads of a record that its own decoder returned. */
export interface DecodedRecord {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** In the format of the log: see record-headers.ts. */
  readonly headers: Buffer;
  readonly isControlRecord: boolean;
  readonly batchContext: BatchContext;
}

/** By these kafkajs leaves out the records of aborted transactions. */
export interface BatchContext {
  readonly producerId: string;
  readonly inTransaction: boolean;
}

/** Reads the header of a whole batch. */
export function readBatchHeader(batch: Buffer): BatchHeader {
  if (batch.length < batchHeaderBytes) throw new BatchError(`its header has ${batch.length} bytes`);
  const firstOffset = batch.readBigInt64BE(0);
  const attributes = batch.readInt16BE(21);
  const codecNumber = attributes & codecMask;
  return {
    firstOffset,
    lastOffset: firstOffset + BigInt(Math.max(0, batch.readInt32BE(23))),
    firstTimestamp: Number(batch.readBigInt64BE(27)),
    maxTimestampMs: Number(batch.readBigInt64BE(35)),
    producerId: batch.readBigInt64BE(43),
    producerEpoch: batch.readInt16BE(51),
    recordCount: batch.readInt32BE(57),
    codecNumber,
    codec: codecNames[codecNumber] ?? null,
    isLogAppendTime: (attributes & logAppendTimeFlag) !== 0,
    isTransactional: (attributes & transactionalFlag) !== 0,
    isControl: (attributes & controlFlag) !== 0,
  };
}

export const toBatchContext = ({ producerId, isTransactional }: BatchHeader): BatchContext => ({
  producerId: String(producerId),
  inTransaction: isTransactional,
});

/** The records of a whole batch and the size of their content. Throws BatchError where they are not exactly what the header claims. */
export async function decodeRecordBatch(
  batch: Buffer,
  header: BatchHeader,
  maxBytes: number,
): Promise<{ records: DecodedRecord[]; contentBytes: number }> {
  const { codec, recordCount } = header;
  if (codec === null) throw new BatchError(`its codec ${header.codecNumber} is unknown`);
  const maxRecords = Math.floor(maxBytes / bytesPerRecord);
  if (recordCount > maxRecords) throw new BatchError(`it has ${recordCount} records, more than ${maxRecords}`);
  const content = await decompress(codec, batch.subarray(batchHeaderBytes), maxBytes);
  if (content.length > maxBytes) throw new BatchError(`its content is larger than ${maxBytes} bytes`);
  const context = toBatchContext(header);
  const cursor = { buffer: content, offset: 0 };
  const records: DecodedRecord[] = [];
  for (let index = 0; index < recordCount; index++) records.push(decodeRecord(cursor, header, context));
  if (cursor.offset !== content.length)
    throw new BatchError(`${content.length - cursor.offset} bytes follow its ${recordCount} records`);
  return { records, contentBytes: content.length };
}

/**
 * Decodes one record. kafkajs's own decoder copies the headers object once per header and builds two long integers per record. Here headers
 * stay bytes; code that needs one walks over them.
 */
export function decodeRecord(cursor: ByteCursor, header: BatchHeader, context: BatchContext): DecodedRecord {
  const { buffer } = cursor;
  const length = readVarint(cursor);
  const end = cursor.offset + length;
  if (length < 1 || end > buffer.length) throw new BatchError(`the length of a record is ${length}`);
  cursor.offset += 1; // attributes, which are unused
  const timestampDelta = readVarint(cursor);
  const offsetDelta = readVarint(cursor);
  const offset = Number(header.firstOffset) + offsetDelta;
  if (offsetDelta < 0 || offset > Number(header.lastOffset)) throw new BatchError(`a record has the offset ${offset}`);
  const key = readLimitedBytes(cursor, end);
  const value = readLimitedBytes(cursor, end);
  const headers = buffer.subarray(cursor.offset, end);
  skipHeaders(cursor, end);
  if (cursor.offset !== end) throw new BatchError('the headers of a record are corrupt');
  return {
    offset: String(offset),
    timestamp: String(header.isLogAppendTime ? header.maxTimestampMs : header.firstTimestamp + timestampDelta),
    key,
    value,
    headers,
    isControlRecord: header.isControl,
    batchContext: context,
  };
}

/** A length and as many bytes, all before `end`; null for the length -1. */
function readLimitedBytes(cursor: ByteCursor, end: number): Buffer | null {
  const length = readVarint(cursor);
  if (length === -1) return null;
  const from = cursor.offset;
  if (length < 0 || from + length > end) throw new BatchError(`the length of a key or value is ${length}`);
  cursor.offset += length;
  return cursor.buffer.subarray(from, from + length);
}
