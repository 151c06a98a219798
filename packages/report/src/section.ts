import { lineChart } from './chart.ts';
import type { Cell, Column, Kpi, Language, Section, Table } from './document.ts';
import { escapeText as text } from './escape.ts';
import { isNumeric, show } from './show.ts';
import { frame, standings } from './words.ts';

export function sectionHtml(section: Section, index: number, lang: Language): string {
  const id = `report-section-${index + 1}`;
  return [
    `<section class="report-section report-${section.kind}" aria-labelledby="${id}">`,
    `<h2 class="report-heading" id="${id}">${text(section.title)}</h2>`,
    contentOf(section, lang),
    '</section>',
  ].join('\n');
}

function contentOf(section: Section, lang: Language): string {
  switch (section.kind) {
    case 'text':
      return section.content
        .split(/\n{2,}/)
        .map((paragraph) => `<p class="report-prose">${text(paragraph)}</p>`)
        .join('\n');
    case 'list':
      if (section.content.length === 0) return nothing(frame.nothing[lang]);
      return `<ul class="report-list">${section.content.map((item) => `<li><bdi>${text(item)}</bdi></li>`).join('\n')}</ul>`;
    case 'kpis':
      if (section.content.length === 0) return nothing(frame.nothing[lang]);
      return `<dl class="report-tiles">${section.content.map((kpi) => tile(kpi, lang)).join('\n')}</dl>`;
    case 'series':
      return section.content.length === 0
        ? nothing(frame.noData[lang])
        : lineChart(section.content, section.title, lang);
    case 'table':
      return tableHtml(section.content, section.title, lang);
  }
}

const nothing = (words: string): string => `<p class="report-nothing">${words}</p>`;

function tile({ label, value, unit, status }: Kpi, lang: Language): string {
  const judged = status === null ? '' : `<dd class="report-tile-status">${statusMark(status, lang)}</dd>`;
  const size = typeof value === 'string' ? ' report-tile-words' : '';
  return `<div class="report-tile"><dt>${text(label)}</dt><dd class="report-tile-value${size}"><bdi>${text(show(value, unit, lang))}</bdi></dd>${judged}</div>`;
}

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
function statusMark(status: string, lang: Language): string {
  const known = standings[status];
  if (!known) return `<bdi>${text(status)}</bdi>`;
  return `<span class="report-mark report-mark-${known.look}"><span class="report-shape" aria-hidden="true">${known.shape}</span> ${known.words[lang]}</span>`;
}
