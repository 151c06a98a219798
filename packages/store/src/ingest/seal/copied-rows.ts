import { copyHeader } from '../row/binary-copy.ts';

const lengthBytes = 4;

/** Rows in the binary format of COPY. */
export class CopiedRows {
  readonly bytes: Buffer;
  readonly count: number;
  readonly fields: number;
  /** Where each field of each row begins, with its length. */
  private readonly starts: Int32Array;

  /** @param bytes a whole COPY of `expected` rows with so many fields; of further rows only the number is known */
  constructor(bytes: Buffer, { fields, expected }: { fields: number; expected: number }) {
    this.bytes = bytes;
    this.fields = fields;
    this.starts = new Int32Array(fields * expected);
    let [at, row] = [copyHeader.length, 0];
    for (; bytes.readInt16BE(at) >= 0; row++) {
      at += 2;
      for (let field = 0; field < fields; field++) {
        this.starts[row * fields + field] = at;
        at += lengthBytes + Math.max(0, bytes.readInt32BE(at));
      }
    }
    this.count = row;
  }

  /** Where a row begins, with the number of its fields. */
  rowStart(row: number): number {
    return this.fieldStart(row, 0) - 2;
  }

  /** Where a field begins, with its length. */
  fieldStart(row: number, field: number): number {
    return this.starts[row * this.fields + field] as number;
  }

  fieldEnd(row: number, field: number): number {
    const start = this.fieldStart(row, field);
    return start + lengthBytes + Math.max(0, this.bytes.readInt32BE(start));
  }

  /** Null for null. */
  value(row: number, field: number): Buffer | null {
    const start = this.fieldStart(row, field);
    return this.bytes.readInt32BE(start) < 0
      ? null
      : this.bytes.subarray(start + lengthBytes, this.fieldEnd(row, field));
  }
}

/** Consecutive rows. */
export interface RowSlice {
  readonly rows: CopiedRows;
  readonly from: number;
  readonly to: number;
}

const arrayHeadBytes = 20;
const lowerBound = 1;

/** Writes a field that is an array of one field of the rows. Elements of arrays have the form of fields. Returns its end. */
export function writeArrayField(
  target: Buffer,
  targetAt: number,
  { rows, from, to }: RowSlice,
  { field, elementOid }: { field: number; elementOid: number },
): number {
  const { bytes } = rows;
  let hasNull = 0;
  let at = targetAt + lengthBytes + arrayHeadBytes;
  for (let row = from; row < to; row++) {
    const start = rows.fieldStart(row, field);
    const length = bytes.readInt32BE(start);
    if (length < 0) hasNull = 1;
    at += bytes.copy(target, at, start, start + lengthBytes + Math.max(0, length));
  }
  [at - targetAt - lengthBytes, 1, hasNull, elementOid, to - from, lowerBound].forEach((number, index) => {
    target.writeInt32BE(number, targetAt + index * lengthBytes);
  });
  return at;
}

/** Whether an array is one of the field of the rows, in their order. */
export function isArrayOf(array: Buffer | null, { rows, from, to }: RowSlice, field: number): boolean {
  if (array === null || array.length < arrayHeadBytes) return false;
  if (array.readInt32BE(0) !== 1 || array.readInt32BE(12) !== to - from || array.readInt32BE(16) !== lowerBound)
    return false;
  let at = arrayHeadBytes;
  for (let row = from; row < to; row++) {
    const [start, end] = [rows.fieldStart(row, field), rows.fieldEnd(row, field)];
    const next = at + end - start;
    if (next > array.length || array.compare(rows.bytes, start, end, at, next) !== 0) return false;
    at = next;
  }
  return at === array.length;
}
