/** What kafkajs encodes as one record of a batch, and the part of its encoders that it uses of the result. */
export interface EncodedRecord {
  readonly buf: Buffer;
  readonly buffer: Buffer;
  size(): number;
}

type Bytes = Buffer | string | null | undefined;

export interface RecordInput {
  readonly offsetDelta?: number;
  readonly timestampDelta?: number;
  readonly key?: Bytes;
  readonly value?: Bytes;
  readonly headers?: Readonly<Record<string, Bytes | readonly Bytes[]>>;
}

/**
 * One record of a record batch of version 2, in one buffer of its size. kafkajs 2.2.4 encodes each header, and each length of one, into a zeroed buffer of its own.
 *
 * Its times have to be within 12 days of the first of their batch.
 */
export function encodeRecord({
  offsetDelta = 0,
  timestampDelta = 0,
  key,
  value,
  headers = {},
}: RecordInput): EncodedRecord {
  const pairs = listHeaders(headers);
  let size = 1 + varIntSize(timestampDelta) + varIntSize(offsetDelta) + fieldSize(key) + fieldSize(value);
  size += varIntSize(pairs.length / 2);
  for (const part of pairs) size += fieldSize(part);
  const buf = Buffer.allocUnsafe(varIntSize(size) + size);
  let at = writeVarInt(buf, size, 0);
  buf[at++] = 0; // attributes, of which none is defined
  at = writeVarInt(buf, timestampDelta, at);
  at = writeVarInt(buf, offsetDelta, at);
  at = writeField(buf, key, at);
  at = writeField(buf, value, at);
  at = writeVarInt(buf, pairs.length / 2, at);
  for (const part of pairs) at = writeField(buf, part, at);
  return { buf, buffer: buf, size: () => buf.length };
}

/** Names and values in turn; a name with several values is repeated. */
function listHeaders(headers: NonNullable<RecordInput['headers']>): Bytes[] {
  const pairs: Bytes[] = [];
  for (const name of Object.keys(headers)) {
    const value = headers[name] as Bytes | readonly Bytes[];
    if (Array.isArray(value)) for (const one of value) pairs.push(name, one);
    else pairs.push(name, value as Bytes);
  }
  return pairs;
}

/** As of integers of 32 bits with the sign in the lowest one. */
const zigZag = (value: number): number => ((value << 1) ^ (value >> 31)) >>> 0;

function varIntSize(value: number): number {
  let bytes = 1;
  for (let left = zigZag(value); left > 0x7f; left >>>= 7) bytes += 1;
  return bytes;
}

function writeVarInt(buffer: Buffer, value: number, offset: number): number {
  let at = offset;
  let left = zigZag(value);
  for (; left > 0x7f; left >>>= 7) buffer[at++] = (left & 0x7f) | 0x80;
  buffer[at++] = left;
  return at;
}

function fieldSize(value: Bytes): number {
  if (value == null) return 1;
  const length = typeof value === 'string' ? Buffer.byteLength(value) : value.length;
  return varIntSize(length) + length;
}

function writeField(buffer: Buffer, value: Bytes, offset: number): number {
  if (value == null) return writeVarInt(buffer, -1, offset);
  if (typeof value !== 'string') {
    const at = writeVarInt(buffer, value.length, offset);
    buffer.set(value, at);
    return at + value.length;
  }
  const at = writeVarInt(buffer, Buffer.byteLength(value), offset);
  return at + buffer.write(value, at);
}
