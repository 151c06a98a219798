import type { Cell, Column, Language, Table } from './document.ts';
import { escapeText as text } from './escape.ts';
import { formatCell, isNumeric } from './format.ts';
import { labels, statusLabels } from './labels.ts';

export function renderTable(table: Table, caption: string, lang: Language): string {
  const { columns, rows, truncated } = table;
  if (rows.length === 0) return renderEmpty(labels.empty[lang]);
  const greatest = columns.map((column, index) =>
    column.kind === 'percent'
      ? 100
      : Math.max(1, ...rows.map((row) => (typeof row[index] === 'number' ? Math.abs(row[index]) : 0))),
  );
  const head = columns
    .map(({ label, kind }) => `<th scope="col" class="${cellClass(kind)}">${text(label)}</th>`)
    .join('');
  const body = rows.map((row) => {
    const cells = columns.map((column, index) => {
      const shown = renderCell(row[index] ?? null, column, greatest[index] ?? 1, lang);
      return index === 0
        ? `<th scope="row" class="${cellClass(column.kind)}">${shown}</th>`
        : `<td class="${cellClass(column.kind)}">${shown}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  return [
    `<table class="report-table${classifyWidth(columns.length)}">`,
    `<caption class="report-visually-hidden">${text(caption)}</caption>`,
    `<thead><tr>${head}</tr></thead>`,
    `<tbody>${body.join('\n')}</tbody>`,
    '</table>',
    ...(truncated ? [`<p class="report-more">${labels.truncated[lang]}</p>`] : []),
  ].join('\n');
}

/** Text is smaller the more columns have to fit the page. */
const classifyWidth = (columns: number): string =>
  columns > 8 ? ' report-wide report-dense' : columns > 5 ? ' report-wide' : '';

const cellClass = (kind: string): string =>
  isNumeric(kind) ? 'report-number' : `report-${/^[a-z]+$/.test(kind) ? kind : 'text'}`;

function renderCell(value: Cell, { kind }: Column, greatest: number, lang: Language): string {
  if (kind === 'status' && typeof value === 'string') return renderStatus(value, lang);
  const shown = `<bdi>${markUnbroken(breakLongTokens(formatCell(value, kind, lang)))}</bdi>`;
  const isDrawn = (kind === 'bar' || kind === 'percent') && typeof value === 'number';
  return isDrawn ? `${shown}${renderBar(value / greatest)}` : shown;
}

/** A path, an address or an id may break after each of its parts: unbroken, it would take its width from every other column. */
const breakLongTokens = (shown: string): string =>
  shown
    .split(/(\S{14,})/)
    .map((part, index) =>
      index % 2 === 0
        ? text(part)
        : part
            .split(/(?<=[@:./_])(?=\w)/)
            .map(text)
            .join('<wbr>'),
    )
    .join('');

/** A unit of a citation and its number, or a number and its unit of time: apart, they are misread at the end of a line. */
const markUnbroken = (html: string): string =>
  html.replace(
    /(?<![\p{L}\d])(?:(?:art|ust|pkt|lit|cl)\.? \w+(?:\(\w+\))*\)?|\d+ (?:h|d|days?|dni|min|godz)\b)/giu,
    '<span class="report-unbroken">$&</span>',
  );

/** A bar relative to the greatest value. It is hidden from screen readers because the number precedes it. */
function renderBar(part: number): string {
  const width = Math.round(1000 * Math.min(1, Math.max(0, part))) / 10;
  return `<svg class="report-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="report-bar-whole" width="100" height="6"/><rect class="report-bar-part" width="${width}" height="6"/></svg>`;
}

/** Shape, text and colour. */
export function renderStatus(status: string, lang: Language): string {
  const label = statusLabels[status];
  if (!label) return `<bdi>${text(status)}</bdi>`;
  return `<span class="report-mark report-mark-${label.look}"><span class="report-shape" aria-hidden="true">${label.shape}</span> ${label.text[lang]}</span>`;
}

export const renderEmpty = (message: string): string => `<p class="report-empty">${message}</p>`;
