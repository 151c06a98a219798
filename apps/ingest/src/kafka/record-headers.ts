import { BatchError } from './batch-error.ts';

/** A position in a block of bytes. */
export interface ByteCursor {
  buffer: Buffer;
  offset: number;
}

/** A variable-length number of Kafka's record format, zigzag-encoded; exact within 53 bits. Throws BatchError where it is longer than any. */
export function readVarint(cursor: ByteCursor): number {
  let value = 0;
  let scale = 1;
  let byte: number;
  do {
    if (scale > longestVarintScale) throw new BatchError('a number of a record is longer than ten bytes');
    byte = cursor.buffer[cursor.offset++] ?? 0;
    value += (byte & 0x7f) * scale;
    scale *= 0x80;
  } while (byte >= 0x80);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

const longestVarintScale = 2 ** 63;

/** Moves behind the headers, of which none may reach beyond `end`. Throws BatchError: after it walkHeaders can trust every length. */
export function skipHeaders(cursor: ByteCursor, end: number): void {
  const count = readVarint(cursor);
  if (count < 0 || count > end) throw new BatchError(`a record has ${count} headers`);
  for (let left = count; left > 0; left--) {
    const nameLength = readVarint(cursor);
    cursor.offset += Math.max(0, nameLength);
    const valueLength = readVarint(cursor);
    cursor.offset += Math.max(0, valueLength);
    if (nameLength < 0 || valueLength < -1 || cursor.offset > end)
      throw new BatchError('the headers of a record are corrupt');
  }
}

/**
 * Walks over headers in the format of the log: a count, then names and values. They are not decoded: of nine headers four are needed, and
 * decoding all of them cost the main thread a quarter of its time.
 */
export function walkHeaders(
  headers: Buffer,
  onHeader: (nameAt: number, nameLength: number, valueAt: number, valueLength: number) => void,
): void {
  const cursor = { buffer: headers, offset: 0 };
  for (let left = readVarint(cursor); left > 0; left--) {
    const nameLength = Math.max(0, readVarint(cursor));
    const nameAt = cursor.offset;
    cursor.offset += nameLength;
    const valueLength = readVarint(cursor);
    onHeader(nameAt, nameLength, cursor.offset, valueLength);
    cursor.offset += Math.max(0, valueLength);
  }
}

/** Headers in the format of the log. */
export function encodeHeaders(headers: readonly (readonly [name: string, value: string])[]): Buffer {
  const parts: Buffer[] = [encodeVarint(headers.length)];
  for (const text of headers.flat()) {
    const bytes = Buffer.from(text);
    parts.push(encodeVarint(bytes.length), bytes);
  }
  return Buffer.concat(parts);
}

/** A count or a length: not negative, below 2 ** 31. */
function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value * 2;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) + 0x80);
  return Buffer.from([...bytes, left]);
}

/** The first `max` headers in their order; a name may repeat, a value may be null. */
export function listHeaders(headers: Buffer, max = Number.POSITIVE_INFINITY): [name: string, value: Buffer | null][] {
  const list: [string, Buffer | null][] = [];
  walkHeaders(headers, (nameAt, nameLength, valueAt, valueLength) => {
    if (list.length >= max) return;
    const value = valueLength < 0 ? null : headers.subarray(valueAt, valueAt + valueLength);
    list.push([headers.toString('utf8', nameAt, nameAt + nameLength), value]);
  });
  return list;
}

/** The text of the last header of this ASCII name. */
export function lastHeader(headers: Buffer, name: string): string | undefined {
  let found: string | undefined;
  walkHeaders(headers, (nameAt, nameLength, valueAt, valueLength) => {
    if (nameLength !== name.length || valueLength < 0) return;
    if (headers.toString('latin1', nameAt, nameAt + nameLength) !== name) return;
    found = headers.toString('utf8', valueAt, valueAt + valueLength);
  });
  return found;
}

/** Compares bytes with an ASCII name in lower case, ignoring their case. */
export function equalsIgnoringCase(bytes: Buffer, at: number, lowerCase: string): boolean {
  for (let index = 0; index < lowerCase.length; index++) {
    const byte = bytes[at + index] ?? 0;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    if (lower !== lowerCase.charCodeAt(index)) return false;
  }
  return true;
}
