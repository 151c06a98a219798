import { escapeControlCharacters } from './escape-control-characters.ts';

/** A column: its heading, and the cell of a row. Null and undefined are shown as a dash. */
export type Column<Row> = readonly [heading: string, show: (row: Row) => string | number | boolean | null | undefined];

/** Formats rows under headings, with columns as wide as their longest cell; without rows, returns the given sentence. */
export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], whenEmpty: string): string {
  if (rows.length === 0) return whenEmpty;
  const lines = [
    columns.map(([heading]) => heading),
    ...rows.map((row) => columns.map(([, show]) => formatCell(show(row)))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Formats name-value pairs, one per line. */
export function formatFields(pairs: readonly (readonly [name: string, value: unknown])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${formatCell(value)}`).join('\n');
}

function formatCell(value: unknown): string {
  const text = String(value ?? '');
  return text === '' ? '–' : escapeControlCharacters(text, '');
}
