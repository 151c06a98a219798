import type { Line } from './line-reader.ts';

const [quote, lineFeed] = [0x22, 0x0a];

/** The column with the provider's record in exports of the unified audit log and of Purview. */
const recordColumn = 'auditdata';

/** Excel saves CSV with a semicolon where the decimal separator is a comma. */
const separators = [',', ';', '\t'] as const;

interface RecordColumn {
  readonly separator: string;
  readonly position: number;
}

/** The column with records in the header of a CSV file; null if it has none. */
export function findRecordColumn(headerRow: string): RecordColumn | null {
  for (const separator of separators) {
    const names = parseRow(headerRow, separator).map((name) => name.trim().toLowerCase());
    if (names.includes(recordColumn)) return { separator, position: names.indexOf(recordColumn) };
  }
  return null;
}

/**
 * The records of a CSV export, one per row: the text of a column, byte for byte. A row without that text is published whole, as a record that cannot be read. Rows
 * may contain line breaks within quotes; `number` is that of the row, without the header. A row over `maxBytes` is counted and dropped: mostly a quote is missing.
 */
export async function* readCsv(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let column: RecordColumn | null = null;
  for await (const { number, bytes, length } of splitRows(chunks, maxBytes)) {
    // One character per byte: the structure is ASCII, and all other bytes stay as they are.
    const row = bytes?.toString('latin1').replace(/\r$/, '');
    if (number === 1) column = findRecordColumn((row ?? '').replace(/^\u00ef\u00bb\u00bf/, ''));
    else if (row === undefined) yield { number: number - 1, bytes: null, length };
    else {
      const cell = column === null ? '' : (parseRow(row, column.separator)[column.position] ?? '');
      const text = row === '' ? '' : cell.trim() || row;
      yield { number: number - 1, bytes: Buffer.from(text, 'latin1'), length: text.length };
    }
  }
}

async function* splitRows(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let number = 0;
  let parts: Buffer[] = [];
  let length = 0;
  let isQuoted = false;
  const append = (part: Buffer) => {
    length += part.length;
    if (length <= maxBytes) parts.push(part);
    else parts = [];
  };
  const complete = (): Line => {
    number += 1;
    const row = { number, bytes: length > maxBytes ? null : Buffer.concat(parts), length };
    [parts, length] = [[], 0];
    return row;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      // A doubled quote within quotes closes and opens again.
      if (chunk[at] === quote) isQuoted = !isQuoted;
      else if (chunk[at] === lineFeed && !isQuoted) {
        append(chunk.subarray(from, at));
        yield complete();
        from = at + 1;
      }
    }
    append(chunk.subarray(from));
  }
  if (length > 0) yield complete();
}

/** The cells of a row. Never fails: a quote out of place is text. */
function parseRow(row: string, separator: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= row.length; ) {
    if (row[at] !== '"') {
      const next = row.indexOf(separator, at);
      const end = next === -1 ? row.length : next;
      cells.push(row.slice(at, end));
      at = end + 1;
      continue;
    }
    let cell = '';
    for (at += 1; ; at += 1) {
      const next = row.indexOf('"', at);
      if (next === -1) {
        cell += row.slice(at);
        at = row.length;
        break;
      }
      cell += row.slice(at, next);
      at = next + 1;
      if (row[at] !== '"') break;
      cell += '"';
    }
    const next = row.indexOf(separator, at);
    const end = next === -1 ? row.length : next;
    cells.push(cell + row.slice(at, end));
    at = end + 1;
  }
  return cells;
}
