/** The members of a rendered report that are displayed. */
export interface PrintableReport {
  readonly reportId: string;
  readonly templateId: string;
  readonly templateVersion: string;
  readonly title: string;
  readonly lang: string;
  readonly tenant: { readonly id: string; readonly name: string };
  readonly period: { readonly from: string; readonly to: string };
  readonly generatedAt: string;
  readonly generatedBy: string;
  /** Versions behind the statuses; null or absent if these are unknown. */
  readonly catalogueVersion?: string | null;
  readonly evaluatorVersion?: string | null;
  readonly sections: readonly Section[];
  readonly limitations: readonly string[];
  /** Absent before the document is complete. */
  readonly integrity?: { readonly sha256: string };
}

export type Section = { readonly key: string; readonly title: string } & (
  | { readonly kind: 'text'; readonly content: string }
  | { readonly kind: 'kpis'; readonly content: readonly Kpi[] }
  | { readonly kind: 'table'; readonly content: Table }
  | { readonly kind: 'series'; readonly content: readonly Point[] }
  | { readonly kind: 'list'; readonly content: readonly string[] }
);

export type Cell = string | number | boolean | null;

export interface Kpi {
  readonly label: string;
  readonly value: Cell;
  /** The kind of the value, as in columns. Null for text. */
  readonly unit: string | null;
  readonly status: string | null;
}

export interface Column {
  readonly key: string;
  readonly label: string;
  readonly kind: string;
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  readonly truncated: boolean;
}

export interface Point {
  /** ISO 8601. */
  readonly t: string;
  readonly v: number | null;
}

export type Language = 'en' | 'pl';

/** English unless the report is Polish. */
export const readLanguage = ({ lang }: Pick<PrintableReport, 'lang'>): Language => (lang === 'pl' ? 'pl' : 'en');
