import { BatchError } from './batch-error.ts';
import { codecNames } from './decompression.ts';
import { readFirstRecord } from './first-record.ts';
import { decodeLegacyEntry } from './legacy-message.ts';
import {
  type BatchHeader,
  batchHeaderBytes,
  bytesPerRecord,
  type DecodedRecord,
  decodeRecordBatch,
  lengthPrefixBytes,
  readBatchHeader,
  toBatchContext,
} from './record-batch.ts';
import type { UndecodableBatch } from './undecodable-batch.ts';

/** How much one response may still decode, over all its partitions: each of its batches may be small and expand to the bound. */
export interface DecodingBudget {
  remainingBytes: number;
  /** The bound of each batch. */
  readonly maxBatchBytes: number;
}

/** A record, or in place of a batch that cannot be decoded one record with nothing but that batch, at its last offset. */
export type FetchedRecord = DecodedRecord & { readonly undecodable?: UndecodableBatch };

const magicAt = 16;

/**
 * Decodes what a response has of one partition, batch by batch, until a batch cannot be decoded or the budget is used up: the rest is
 * fetched again. Never throws for what the bytes are, since other partitions are in the same response.
 */
export async function decodeFetchedRecords(bytes: Buffer, budget: DecodingBudget): Promise<FetchedRecord[]> {
  const records: FetchedRecord[] = [];
  for (let at = 0; at + magicAt < bytes.length && budget.remainingBytes > 0; ) {
    const end = at + lengthPrefixBytes + bytes.readInt32BE(at + 8);
    // The broker cuts the last batch where the response is full. A size below the smallest is corrupt and ends here too.
    if (end > bytes.length) break;
    const entry = bytes.subarray(at, Math.max(end, at + magicAt + 1));
    try {
      const decoded = await decodeEntry(entry, budget.maxBatchBytes);
      for (const record of decoded.records) records.push(record);
      budget.remainingBytes -= decoded.contentBytes + decoded.records.length * bytesPerRecord;
    } catch (error) {
      records.push(await describeFailure(entry, error));
      break;
    }
    at = end;
  }
  return records;
}

async function decodeEntry(
  entry: Buffer,
  maxBytes: number,
): Promise<{ records: DecodedRecord[]; contentBytes: number }> {
  const magic = entry[magicAt] ?? 0;
  if (magic > 2) throw new BatchError(`its record format ${magic} is unknown`);
  return magic === 2 ? decodeRecordBatch(entry, readBatchHeader(entry), maxBytes) : decodeLegacyEntry(entry, maxBytes);
}

async function describeFailure(entry: Buffer, error: unknown): Promise<FetchedRecord> {
  const header = entry[magicAt] === 2 && entry.length >= batchHeaderBytes ? readBatchHeader(entry) : null;
  const offset = entry.readBigInt64BE(0);
  const undecodable: UndecodableBatch = {
    firstOffset: offset,
    lastOffset: header?.lastOffset ?? offset,
    problem: error instanceof BatchError ? error.message : `decoding it failed: ${String(error)}`,
    codec: readCodecName(header, entry),
    // A copy: the entry is a part of the whole response.
    bytes: Buffer.from(entry),
    header,
    firstRecord: header?.codec ? await readFirstRecord(header.codec, entry.subarray(batchHeaderBytes)) : null,
  };
  return {
    offset: String(undecodable.lastOffset),
    timestamp: String(header?.maxTimestampMs ?? -1),
    key: null,
    value: null,
    headers: Buffer.alloc(0),
    isControlRecord: false,
    // An aborted transaction is left out whether it can be decoded or not.
    batchContext: header === null ? { producerId: '-1', inTransaction: false } : toBatchContext(header),
    undecodable,
  };
}

const readCodecName = (header: BatchHeader | null, entry: Buffer): string => {
  const number = header?.codecNumber ?? (entry[magicAt + 1] ?? 0) & 0x07;
  return codecNames[number] ?? `codec ${number}`;
};
