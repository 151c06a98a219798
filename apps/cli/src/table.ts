import { visible } from './visible.ts';

/** A column: its heading, and how a row shows in it. Null and undefined show as a dash. */
export type Column<Row> = readonly [heading: string, show: (row: Row) => string | number | boolean | null | undefined];

/** Rows under headings, as wide as their longest cell; a sentence in place of a table without rows. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], whenEmpty: string): string {
  if (rows.length === 0) return whenEmpty;
  const lines = [columns.map(([heading]) => heading), ...rows.map((row) => columns.map(([, show]) => cell(show(row))))];
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

/** Names beside their values, one a line. */
export function listing(pairs: readonly (readonly [name: string, value: unknown])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`).join('\n');
}

function cell(value: unknown): string {
  return value === null || value === undefined || value === '' ? '–' : visible(String(value), '');
}
