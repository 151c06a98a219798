import {
  arrayHeadBytes,
  readTimestamp,
  timestamptzOid,
  uuidOid,
  writeArrayHead,
  writeTimestamp,
} from './binary-copy.ts';
import {
  columnStampAt,
  documentAt,
  documentIdAt,
  documentOccurredAt,
  documentStampAt,
  idAt,
  occurrenceAt,
  type PreparedRows,
  stampBytes,
  tenantAt,
  timestampField,
  uuidField,
} from './log-rows.ts';

// What the lane transaction reads of prepared rows, and writes into them.

/** Where the bytes of lines begin and end, those of neighbours as one run. */
export function joinNeighbors(lines: readonly number[], starts: Uint32Array): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  for (const line of lines) {
    const [from, to] = [starts[line] as number, starts[line + 1] as number];
    const before = runs.at(-1);
    if (before?.to === from) before.to = to;
    else runs.push({ from, to });
  }
  return runs;
}

/** The tenant of a line. */
export const readTenantId = ({ sources, sourceIndexes }: PreparedRows, line: number): string =>
  sources[sourceIndexes[line] as number]?.tenantId as string;

/** The id of the line that begins at `start`. */
export const readLogId = (bytes: Buffer, start: number): string => readDocument(bytes, start, documentIdAt, 36);

/** When the line's row happened, and its stamp once it has one: RFC 3339, 24 characters. */
export const readOccurredAt = (bytes: Buffer, start: number): string =>
  readDocument(bytes, start, documentOccurredAt, stampBytes);
export const readStamp = (bytes: Buffer, start: number): string =>
  readDocument(bytes, start, documentStampAt, stampBytes);

/** The stamp of the stamped line that begins at `start`. */
export const readStampMs = (bytes: Buffer, start: number): number => readTimestamp(bytes, start + columnStampAt + 4);

const readDocument = (bytes: Buffer, start: number, at: number, length: number): string =>
  bytes.toString('latin1', start + documentAt + at, start + documentAt + at + length);

export const identityColumns = 'tenant_id, id, discovered_at';
export const identityBytes = 2 + uuidField + uuidField + timestampField;

/** Writes the identity of the stamped line that begins at `start` into `rows`, where it takes `identityBytes`. */
export function writeIdentity(bytes: Buffer, start: number, rows: Buffer, at: number): void {
  rows.writeInt16BE(3, at);
  bytes.copy(rows, at + 2, start + tenantAt, start + tenantAt + uuidField);
  bytes.copy(rows, at + 2 + uuidField, start + idAt, start + idAt + uuidField);
  bytes.copy(rows, at + 2 + 2 * uuidField, start + columnStampAt, start + columnStampAt + timestampField);
}

type EncodeColumn = (bytes: Buffer, starts: Uint32Array, lines: readonly number[]) => Buffer;

/** Columns of lines as binary values of uuid[] and timestamptz[], in the order of the lines. The server parses texts in 0.7 µs each. */
export const encodeTenantIds: EncodeColumn = (...given) => encodeFields(...given, tenantAt, uuidField, uuidOid);
export const encodeLogIds: EncodeColumn = (...given) => encodeFields(...given, idAt, uuidField, uuidOid);
export const encodeOccurrences: EncodeColumn = (...given) =>
  encodeFields(...given, occurrenceAt, timestampField, timestamptzOid);
export const encodeStamps: EncodeColumn = (...given) =>
  encodeFields(...given, columnStampAt, timestampField, timestamptzOid);

/** An element of a binary array has the same form as a field of a row: its length and its bytes. */
function encodeFields(
  bytes: Buffer,
  starts: Uint32Array,
  lines: readonly number[],
  fieldAt: number,
  fieldBytes: number,
  elementOid: number,
): Buffer {
  const array = Buffer.allocUnsafe(arrayHeadBytes + lines.length * fieldBytes);
  writeArrayHead(array, elementOid, lines.length);
  let at = arrayHeadBytes;
  for (const line of lines) {
    const field = (starts[line] as number) + fieldAt;
    at += bytes.copy(array, at, field, field + fieldBytes);
  }
  return array;
}

/** Writes the stamp into the column and into the document of the line that begins at `start`. */
export function stampLine(bytes: Buffer, start: number, stampMs: number): void {
  writeTimestamp(bytes, stampMs, start + columnStampAt + 4);
  writeTimeText(bytes, stampMs, start + documentAt + documentStampAt);
}

/** Writes an instant as RFC 3339 text. Stamps of a batch lie within a second: of most only the milliseconds are formatted. */
function writeTimeText(bytes: Buffer, ms: number, at: number): void {
  const second = Math.floor(ms / 1_000);
  if (second !== formattedSecond) {
    formattedTime.write(new Date(second * 1_000).toISOString(), 'latin1');
    formattedSecond = second;
  }
  const fraction = Math.trunc(ms) - second * 1_000;
  formattedTime[20] = zeroDigit + Math.floor(fraction / 100);
  formattedTime[21] = zeroDigit + (Math.floor(fraction / 10) % 10);
  formattedTime[22] = zeroDigit + (fraction % 10);
  bytes.set(formattedTime, at);
}

const formattedTime = Buffer.alloc(stampBytes);
let formattedSecond = Number.NaN;
const zeroDigit = 0x30;
