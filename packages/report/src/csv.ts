export type CsvCell = string | number | boolean | null;

/** A column: its name, and the cell of a row. */
export type CsvColumn<Row> = readonly [name: string, read: (row: Row) => CsvCell];

/**
 * CSV by RFC 4180: a header line, CRLF after every line, quotes where needed; null is an empty cell. Texts are data of third
 * parties: one that a spreadsheet would take for a formula begins with an apostrophe. Numbers are written as they are.
 */
export function writeCsv<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map(([name]) => writeCell(name)),
    ...rows.map((row) => columns.map(([, read]) => writeCell(read(row)))),
  ];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

/**
 * The characters that begin a formula in Excel, LibreOffice and Google Sheets, also full-width ones, and after white space,
 * which some of them skip (OWASP, CSV injection).
 */
const formulaStart = /^(?:[\t\r\n]|[\s\p{Cc}\ufeff]*[=+\-@|%＝＋－＠])/u;

function writeCell(value: CsvCell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  // Excel ends the content of a file at a NUL.
  const text = value.replaceAll('\0', '');
  const guarded = formulaStart.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
