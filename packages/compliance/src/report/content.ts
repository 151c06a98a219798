import type { ReportCell, ReportContent, ReportKpi, ReportPoints } from '@tenantscope/contract';
import type { LocalizedText, Translate } from './language.ts';

/** Maximum number of rows of a table; the feeds contain the rest. */
export const rowsMax = 50;

/** Key, heading and kind of cells. */
export type ColumnPlan = readonly [key: string, label: LocalizedText, kind: ColumnKind];
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

export interface TableRows {
  readonly rows: readonly (readonly ReportCell[])[];
  /** Whether there are more. */
  readonly truncated?: boolean;
  /** Where no feed contains the rest. */
  readonly maxRows?: number;
}

export function table(
  translate: Translate,
  columns: readonly ColumnPlan[],
  { rows, truncated = false, maxRows = rowsMax }: TableRows,
): ReportContent {
  return {
    kind: 'table',
    content: {
      columns: columns.map(([key, label, kind]) => ({ key, label: translate(label), kind })),
      rows: rows.slice(0, maxRows).map((row) => [...row]),
      truncated: truncated || rows.length > maxRows,
    },
  };
}

/** Label, value, unit, and status where there is one. */
export type KpiPlan = readonly [
  label: LocalizedText,
  value: ReportCell,
  unit: ReportKpi['unit'],
  status?: string | null,
];

export function kpis(translate: Translate, figures: readonly KpiPlan[]): ReportContent {
  return {
    kind: 'kpis',
    content: figures.map(([label, value, unit, status = null]) => ({ label: translate(label), value, unit, status })),
  };
}

export const toIso = (ms: number): string => new Date(ms).toISOString();
export const series = (content: ReportPoints): ReportContent => ({ kind: 'series', content });
export const list = (content: readonly string[]): ReportContent => ({ kind: 'list', content });
export const text = (...paragraphs: readonly string[]): ReportContent => ({
  kind: 'text',
  content: paragraphs.join('\n\n'),
});
