import type { ReportCell, ReportContent, ReportKpi, ReportPoints } from '@tenantscope/contract';
import type { Say, Words } from './language.ts';

/** Most rows of a table: a page is read, the feeds hold the rest. */
export const rowsMax = 50;

/** Key, head and what the cells are. */
export type ColumnPlan = readonly [key: string, label: Words, kind: ColumnKind];
export type ColumnKind =
  | 'text'
  | 'count'
  | 'bar'
  | 'percent'
  | 'minutes'
  | 'hours'
  | 'days'
  | 'points'
  | 'date'
  | 'instant'
  | 'status'
  | 'flag';

export interface Rows {
  readonly rows: readonly (readonly ReportCell[])[];
  /** Whether there are more. */
  readonly truncated?: boolean;
}

export function table(say: Say, columns: readonly ColumnPlan[], { rows, truncated = false }: Rows): ReportContent {
  return {
    kind: 'table',
    content: {
      columns: columns.map(([key, label, kind]) => ({ key, label: say(label), kind })),
      rows: rows.slice(0, rowsMax).map((row) => [...row]),
      truncated: truncated || rows.length > rowsMax,
    },
  };
}

/** What is told, its value, its unit, and a judgement where there is one. */
export type Figure = readonly [label: Words, value: ReportCell, unit: ReportKpi['unit'], status?: string | null];

export function kpis(say: Say, figures: readonly Figure[]): ReportContent {
  return {
    kind: 'kpis',
    content: figures.map(([label, value, unit, status = null]) => ({ label: say(label), value, unit, status })),
  };
}

export const series = (content: ReportPoints): ReportContent => ({ kind: 'series', content });
export const list = (content: readonly string[]): ReportContent => ({ kind: 'list', content });
export const text = (...paragraphs: readonly string[]): ReportContent => ({
  kind: 'text',
  content: paragraphs.join('\n\n'),
});
