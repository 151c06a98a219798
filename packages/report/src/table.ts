import type { Cell, Column, Language, Table } from './document.ts';
import { escapeText as text } from './escape.ts';
import { isNumeric, show } from './show.ts';
import { frame, standings } from './words.ts';

export function tableHtml(table: Table, caption: string, lang: Language): string {
  const { columns, rows, truncated } = table;
  if (rows.length === 0) return nothing(frame.nothing[lang]);
  const greatest = columns.map((column, index) =>
    column.kind === 'percent'
      ? 100
      : Math.max(1, ...rows.map((row) => (typeof row[index] === 'number' ? Math.abs(row[index]) : 0))),
  );
  const head = columns
    .map(({ label, kind }) => `<th scope="col" class="${classOf(kind)}">${text(label)}</th>`)
    .join('');
  const body = rows.map((row) => {
    const cells = columns.map((column, index) => {
      const shown = cellHtml(row[index] ?? null, column, greatest[index] ?? 1, lang);
      return index === 0
        ? `<th scope="row" class="${classOf(column.kind)}">${shown}</th>`
        : `<td class="${classOf(column.kind)}">${shown}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  return [
    `<table class="report-table${columns.length > 6 ? ' report-wide' : ''}">`,
    `<caption class="report-unseen">${text(caption)}</caption>`,
    `<thead><tr>${head}</tr></thead>`,
    `<tbody>${body.join('\n')}</tbody>`,
    '</table>',
    ...(truncated ? [`<p class="report-more">${frame.truncated[lang]}</p>`] : []),
  ].join('\n');
}

const classOf = (kind: string): string =>
  isNumeric(kind) ? 'report-number' : `report-${/^[a-z]+$/.test(kind) ? kind : 'text'}`;

function cellHtml(value: Cell, { kind }: Column, greatest: number, lang: Language): string {
  if (kind === 'status' && typeof value === 'string') return statusMark(value, lang);
  const shown = `<bdi>${text(show(value, kind, lang))}</bdi>`;
  const isDrawn = (kind === 'bar' || kind === 'percent') && typeof value === 'number';
  return isDrawn ? `${shown}${bar(value / greatest)}` : shown;
}

/** How much of the greatest. The number beside it says the same to those who do not see it. */
function bar(part: number): string {
  const width = Math.round(1000 * Math.min(1, Math.max(0, part))) / 10;
  return `<svg class="report-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="report-bar-whole" width="100" height="6"/><rect class="report-bar-part" width="${width}" height="6"/></svg>`;
}

/** Shape, word and colour. */
export function statusMark(status: string, lang: Language): string {
  const known = standings[status];
  if (!known) return `<bdi>${text(status)}</bdi>`;
  return `<span class="report-mark report-mark-${known.look}"><span class="report-shape" aria-hidden="true">${known.shape}</span> ${known.words[lang]}</span>`;
}

export const nothing = (words: string): string => `<p class="report-nothing">${words}</p>`;
