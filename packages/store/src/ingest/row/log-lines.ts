import {
  arrayHeadBytes,
  readTimestamp,
  readUuid,
  timestamptzOid,
  uuidOid,
  writeArrayHead,
  writeTimestamp,
} from './binary-copy.ts';
import { idAt, occurrenceAt, stampAt, tenantAt, timestampField, uuidField } from './log-row-layout.ts';
import type { PreparedRows } from './log-rows.ts';

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

/** The id of the line that begins at `start`, and its first 48 bits: the milliseconds of `occurredAt`. */
export const readLogId = (bytes: Buffer, start: number): string => readUuid(bytes, start + idAt + 4);
export const readLogIdMs = (bytes: Buffer, start: number): number => bytes.readUIntBE(start + idAt + 4, 6);

/** When the row of the line that begins at `start` happened, and its stamp once it has one. */
export const readOccurredMs = (bytes: Buffer, start: number): number => readTimestamp(bytes, start + occurrenceAt + 4);
export const readStampMs = (bytes: Buffer, start: number): number => readTimestamp(bytes, start + stampAt + 4);

/** Writes the stamp into the line that begins at `start`. */
export const stampLine = (bytes: Buffer, start: number, stampMs: number): void =>
  writeTimestamp(bytes, stampMs, start + stampAt + 4);

export const identityColumns = 'tenant_id, id, discovered_at';
export const identityBytes = 2 + uuidField + uuidField + timestampField;

/** Writes the identity of the stamped line that begins at `start` into `rows`, where it takes `identityBytes`. */
export function writeIdentity(bytes: Buffer, start: number, rows: Buffer, at: number): void {
  rows.writeInt16BE(3, at);
  bytes.copy(rows, at + 2, start + tenantAt, start + tenantAt + uuidField);
  bytes.copy(rows, at + 2 + uuidField, start + idAt, start + idAt + uuidField);
  bytes.copy(rows, at + 2 + 2 * uuidField, start + stampAt, start + stampAt + timestampField);
}

type EncodeColumn = (bytes: Buffer, starts: Uint32Array, lines: readonly number[]) => Buffer;

/** Columns of lines as binary values of uuid[] and timestamptz[], in the order of the lines. The server parses texts in 0.7 µs each. */
export const encodeTenantIds: EncodeColumn = (...given) => encodeFields(...given, tenantAt, uuidField, uuidOid);
export const encodeLogIds: EncodeColumn = (...given) => encodeFields(...given, idAt, uuidField, uuidOid);
export const encodeOccurrences: EncodeColumn = (...given) =>
  encodeFields(...given, occurrenceAt, timestampField, timestamptzOid);
export const encodeStamps: EncodeColumn = (...given) => encodeFields(...given, stampAt, timestampField, timestamptzOid);

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
