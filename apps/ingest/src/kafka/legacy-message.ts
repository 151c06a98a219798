import { BatchError } from './batch-error.ts';
import { codecNames, decompress } from './decompression.ts';
import { type BatchContext, bytesPerRecord, type DecodedRecord } from './record-batch.ts';

/** Offset and size, before what the size counts. */
const prefixBytes = 12;
const codecMask = 0x07;
const logAppendTimeFlag = 0x08;
const noHeaders = Buffer.alloc(0);
const context: BatchContext = { producerId: '-1', inTransaction: false };

interface LegacyMessage {
  readonly offset: bigint;
  readonly magic: number;
  readonly codecNumber: number;
  readonly timestamp: bigint;
  readonly isLogAppendTime: boolean;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

/**
 * The records of one entry of a message set (formats 0 and 1, before Kafka 0.11), which old segments may still have. A compressed entry holds
 * a message set of its own; in format 1 its offsets count from the first, and the entry has the offset of the last.
 */
export async function decodeLegacyEntry(
  entry: Buffer,
  maxBytes: number,
): Promise<{ records: DecodedRecord[]; contentBytes: number }> {
  const outer = readMessage(entry, 0).message;
  const codec = codecNames[outer.codecNumber];
  if (codec === undefined) throw new BatchError(`its codec ${outer.codecNumber} is unknown`);
  if (codec === 'uncompressed') return { records: [toRecord(outer, outer.offset)], contentBytes: entry.length };
  if (outer.value === null) throw new BatchError('it is compressed and has no value');
  const content = await decompress(codec, outer.value, maxBytes);
  const messages: LegacyMessage[] = [];
  for (let at = 0; at < content.length; ) {
    const { message, end } = readMessage(content, at);
    if (message.codecNumber !== 0) throw new BatchError('its compressed messages are compressed again');
    if (messages.push(message) * bytesPerRecord > maxBytes)
      throw new BatchError(`it has more than ${Math.floor(maxBytes / bytesPerRecord)} records`);
    at = end;
  }
  const last = messages.at(-1);
  if (last === undefined) throw new BatchError('its compressed message set is empty');
  const base = outer.magic === 0 ? 0n : outer.offset - last.offset;
  const records = messages.map((message) =>
    toRecord(outer.isLogAppendTime ? { ...message, timestamp: outer.timestamp } : message, base + message.offset),
  );
  return { records, contentBytes: content.length };
}

function readMessage(buffer: Buffer, at: number): { message: LegacyMessage; end: number } {
  if (at + prefixBytes > buffer.length) throw new BatchError('a message is truncated');
  const end = at + prefixBytes + buffer.readInt32BE(at + 8);
  const magic = buffer[at + 16] ?? 0;
  const keyAt = at + 18 + (magic === 1 ? 8 : 0);
  if (magic > 1) throw new BatchError(`a message has the unknown format ${magic}`);
  if (end > buffer.length || keyAt + 8 > end) throw new BatchError('a message is truncated');
  const attributes = buffer.readUInt8(at + 17);
  const key = readBytes(buffer, keyAt, end);
  const value = readBytes(buffer, key.end, end);
  if (value.end !== end) throw new BatchError('the lengths of a message disagree');
  return {
    message: {
      offset: buffer.readBigInt64BE(at),
      magic,
      codecNumber: attributes & codecMask,
      isLogAppendTime: magic === 1 && (attributes & logAppendTimeFlag) !== 0,
      timestamp: magic === 1 ? buffer.readBigInt64BE(at + 18) : -1n,
      key: key.bytes,
      value: value.bytes,
    },
    end,
  };
}

function readBytes(buffer: Buffer, at: number, end: number): { bytes: Buffer | null; end: number } {
  const length = at + 4 <= end ? buffer.readInt32BE(at) : -2;
  if (length === -1) return { bytes: null, end: at + 4 };
  if (length < 0 || at + 4 + length > end) throw new BatchError(`the length of a key or value is ${length}`);
  return { bytes: buffer.subarray(at + 4, at + 4 + length), end: at + 4 + length };
}

const toRecord = ({ timestamp, key, value }: LegacyMessage, offset: bigint): DecodedRecord => ({
  offset: String(offset),
  timestamp: String(timestamp),
  key,
  value,
  headers: noHeaders,
  isControlRecord: false,
  batchContext: context,
});
