export type { Cell, Column, Kpi, Language, Point, PrintableReport, Section, Table } from './document.ts';
export { reportBody, reportPage } from './html.ts';
export { markdownOf } from './markdown.ts';
export { show } from './show.ts';
export { standings } from './words.ts';
