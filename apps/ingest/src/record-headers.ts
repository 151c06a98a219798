/** Where reading stands in a block of bytes. */
export interface Place {
  buffer: Buffer;
  offset: number;
}

/** A variable-length number of Kafka's record format, zigzag; exact within 53 bits. */
export function readVarint(place: Place): number {
  let value = 0;
  let scale = 1;
  let byte: number;
  do {
    byte = place.buffer[place.offset++] ?? 0;
    value += (byte & 0x7f) * scale;
    scale *= 0x80;
  } while (byte >= 0x80);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

/** A length and as many bytes; null where the length says so. */
export function readBytes(place: Place): Buffer | null {
  const length = readVarint(place);
  if (length < 0) return null;
  place.offset += length;
  return place.buffer.subarray(place.offset - length, place.offset);
}

/**
 * Walks over headers as they lie in the log: a count, then names and values. Nothing is made of them: of nine headers four are needed, and
 * taking all of them apart cost the main thread a quarter of its time.
 */
export function walkHeaders(
  headers: Buffer,
  visit: (nameAt: number, nameLength: number, valueAt: number, valueLength: number) => void,
): void {
  const place = { buffer: headers, offset: 0 };
  for (let left = readVarint(place); left > 0; left--) {
    const nameLength = Math.max(0, readVarint(place));
    const nameAt = place.offset;
    place.offset += nameLength;
    const valueLength = readVarint(place);
    visit(nameAt, nameLength, place.offset, valueLength);
    place.offset += Math.max(0, valueLength);
  }
}

/** All headers in their order; a name may repeat, a value may be null. */
export function listHeaders(headers: Buffer): [name: string, value: Buffer | null][] {
  const list: [string, Buffer | null][] = [];
  walkHeaders(headers, (nameAt, nameLength, valueAt, valueLength) => {
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

/** Whether these bytes are an ASCII name that is given in lower case, in whatever case they are. */
export function isName(bytes: Buffer, at: number, lowerCase: string): boolean {
  for (let index = 0; index < lowerCase.length; index++) {
    const byte = bytes[at + index] ?? 0;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    if (lower !== lowerCase.charCodeAt(index)) return false;
  }
  return true;
}
