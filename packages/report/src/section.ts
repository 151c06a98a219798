import { renderLineChart } from './chart.ts';
import type { Kpi, Language, Section } from './document.ts';
import { escapeText as text } from './escape.ts';
import { formatCell } from './format.ts';
import { labels } from './labels.ts';
import { renderEmpty, renderStatus, renderTable } from './table.ts';

export function renderSection(section: Section, index: number, lang: Language): string {
  const id = `report-section-${index + 1}`;
  return [
    `<section class="report-section report-of-${section.kind}" aria-labelledby="${id}">`,
    `<h2 class="report-heading" id="${id}">${text(section.title)}</h2>`,
    renderContent(section, lang),
    '</section>',
  ].join('\n');
}

function renderContent(section: Section, lang: Language): string {
  switch (section.kind) {
    case 'text':
      return section.content
        .split(/\n{2,}/)
        .map((paragraph) => `<p class="report-prose">${text(paragraph)}</p>`)
        .join('\n');
    case 'list':
      if (section.content.length === 0) return renderEmpty(labels.empty[lang]);
      return `<ul class="report-list">${section.content.map((item) => `<li><bdi>${text(item)}</bdi></li>`).join('\n')}</ul>`;
    case 'kpis':
      if (section.content.length === 0) return renderEmpty(labels.empty[lang]);
      return `<dl class="report-tiles">${section.content.map((kpi) => renderTile(kpi, lang)).join('\n')}</dl>`;
    case 'series':
      return section.content.length === 0
        ? renderEmpty(labels.noData[lang])
        : renderLineChart(section.content, section.title, lang);
    case 'table':
      return renderTable(section.content, section.title, lang);
  }
}

function renderTile({ label, value, unit, status }: Kpi, lang: Language): string {
  const judged = status === null ? '' : `<dd class="report-tile-status">${renderStatus(status, lang)}</dd>`;
  const size = typeof value === 'string' ? ' report-tile-text' : '';
  return `<div class="report-tile"><dt>${text(label)}</dt><dd class="report-tile-value${size}"><bdi>${text(formatCell(value, unit, lang))}</bdi></dd>${judged}</div>`;
}
