export { type CsvCell, type CsvColumn, writeCsv } from './csv.ts';
export type { Cell, Column, Kpi, Language, Point, PrintableReport, Section, Table } from './document.ts';
export { formatCell } from './format.ts';
export { renderReportBody, renderReportPage } from './html.ts';
export { statusLabels } from './labels.ts';
export { renderMarkdown } from './markdown.ts';
