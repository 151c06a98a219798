import { lineChart } from './chart.ts';
import type { Kpi, Language, Section } from './document.ts';
import { escapeText as text } from './escape.ts';
import { show } from './show.ts';
import { nothing, statusMark, tableHtml } from './table.ts';
import { frame } from './words.ts';

export function sectionHtml(section: Section, index: number, lang: Language): string {
  const id = `report-section-${index + 1}`;
  return [
    `<section class="report-section report-of-${section.kind}" aria-labelledby="${id}">`,
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

function tile({ label, value, unit, status }: Kpi, lang: Language): string {
  const judged = status === null ? '' : `<dd class="report-tile-status">${statusMark(status, lang)}</dd>`;
  const size = typeof value === 'string' ? ' report-tile-words' : '';
  return `<div class="report-tile"><dt>${text(label)}</dt><dd class="report-tile-value${size}"><bdi>${text(show(value, unit, lang))}</bdi></dd>${judged}</div>`;
}
