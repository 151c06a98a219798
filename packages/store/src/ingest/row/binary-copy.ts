// The binary format of COPY. Of log rows it takes 0.7 of the server's time that text takes: no search for ends of lines and fields, no
// escapes, and ids and times need no parsing. Fields are built as strings of bytes (latin1): a row is two writes instead of one for each field.

/** Signature, flags, no extension. */
export const copyHeader: Buffer = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
export const copyTrailer: Buffer = Buffer.of(0xff, 0xff);

const nullField = '\xff\xff\xff\xff';

/** A field of ASCII text. */
export function asciiField(value: string | null): string {
  return value === null ? nullField : lengthPrefix(value.length) + value;
}

const beyondAscii = /[^\0-\x7f]/;

export const isAscii = (text: string): boolean => !beyondAscii.test(text);

/** A field of any text. */
export function textField(value: string | null): string {
  if (value === null) return nullField;
  const bytes = Buffer.from(value, 'utf8').toString('latin1');
  return lengthPrefix(bytes.length) + bytes;
}

export function booleanField(value: boolean | null): string {
  return value === null ? nullField : value ? '\0\0\0\x01\x01' : '\0\0\0\x01\0';
}

export function smallintField(value: number): string {
  return lengthPrefix(2) + String.fromCharCode((value >> 8) & 0xff, value & 0xff);
}

/** A field of text[]: dimensions, no nulls, type of the elements, length, lower bound, elements. */
export function textArrayField(values: readonly string[] | null): string {
  if (values === null) return nullField;
  const dimension = values.length === 0 ? '' : int32(values.length) + int32(1);
  const array =
    int32(values.length === 0 ? 0 : 1) + int32(0) + int32(textOid) + dimension + values.map(textField).join('');
  return lengthPrefix(array.length) + array;
}

const textOid = 25;

const int32 = (value: number): string =>
  String.fromCharCode((value >> 24) & 0xff, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff);

const lengthPrefixes = Array.from({ length: 1_024 }, (_, length) => int32(length));
const lengthPrefix = (length: number): string => lengthPrefixes[length] ?? int32(length);

/** What precedes the elements of an array of one dimension. */
export const arrayHeadBytes = 20;
export const uuidOid = 2950;
export const timestamptzOid = 1184;
const jsonbOid = 3802;

/** Writes the head of an array of one dimension without nulls: dimensions, nulls, type of the elements, length, lower bound. */
export function writeArrayHead(bytes: Buffer, elementOid: number, length: number): void {
  [1, 0, elementOid, length, 1].forEach((number, index) => {
    bytes.writeInt32BE(number, index * 4);
  });
}

/** A value of uuid[]. The server parses texts in 0.7 µs each. */
export function encodeUuidArray(uuids: readonly string[]): Buffer {
  const array = Buffer.allocUnsafe(arrayHeadBytes + uuids.length * 20);
  writeArrayHead(array, uuidOid, uuids.length);
  uuids.forEach((uuid, index) => {
    const at = arrayHeadBytes + index * 20;
    array.writeInt32BE(16, at);
    writeUuid(array, uuid, at + 4);
  });
  return array;
}

/** A value of timestamptz[] of epoch milliseconds. */
export function encodeTimestampArray(times: readonly number[]): Buffer {
  const array = Buffer.allocUnsafe(arrayHeadBytes + times.length * 12);
  writeArrayHead(array, timestamptzOid, times.length);
  times.forEach((ms, index) => {
    const at = arrayHeadBytes + index * 12;
    array.writeInt32BE(8, at);
    writeTimestamp(array, ms, at + 4);
  });
  return array;
}

/** A value of jsonb[]: each element is its version, 1, and its text. Of an array of texts the server would undo the escapes first. */
export function encodeJsonbArray(texts: readonly string[]): Buffer {
  const size = texts.reduce((sum, text) => sum + 5 + Buffer.byteLength(text), arrayHeadBytes);
  const array = Buffer.allocUnsafe(size);
  writeArrayHead(array, jsonbOid, texts.length);
  let at = arrayHeadBytes;
  for (const text of texts) {
    const length = array.write(text, at + 5, 'utf8');
    array.writeInt32BE(1 + length, at);
    array[at + 4] = 1;
    at += 5 + length;
  }
  return array;
}

/** Writes a timestamptz, 8 bytes: microseconds since 2000. */
export function writeTimestamp(bytes: Buffer, ms: number, at: number): void {
  const microseconds = (Math.trunc(ms) - postgresEpochMs) * 1_000;
  const high = Math.floor(microseconds / 2 ** 32);
  bytes.writeInt32BE(high, at);
  bytes.writeUInt32BE(microseconds - high * 2 ** 32, at + 4);
}

/** Reads a timestamptz of whole milliseconds. */
export function readTimestamp(bytes: Buffer, at: number): number {
  return (bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4)) / 1_000 + postgresEpochMs;
}

const postgresEpochMs = Date.UTC(2000, 0, 1);

/** Writes a uuid, 16 bytes. A third of the time that `Buffer.write` of its digits takes. */
export function writeUuid(bytes: Buffer, uuid: string, at: number): void {
  for (let byte = 0; byte < 16; byte++) {
    const digit = digitPositions[byte] as number;
    const high = digitValues[uuid.charCodeAt(digit)] as number;
    bytes[at + byte] = (high << 4) | (digitValues[uuid.charCodeAt(digit + 1)] as number);
  }
}

/** The text of a uuid. */
export function readUuid(bytes: Buffer, at: number): string {
  const digits = bytes.toString('hex', at, at + 16);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}

/** Where the two digits of each byte begin in the text of a uuid. */
const digitPositions = Uint8Array.of(0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34);
/** The values of hexadecimal digits by their character code. */
const digitValues = new Uint8Array(128);
for (let value = 0; value < 16; value++) {
  digitValues[value.toString(16).charCodeAt(0)] = value;
  digitValues[value.toString(16).toUpperCase().charCodeAt(0)] = value;
}
