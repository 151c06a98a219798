import { type PrintableReport, readLanguage, type Section, type Table } from './document.ts';
import { replaceControls } from './escape.ts';
import { formatCell, formatTime, isNumeric } from './format.ts';
import { labels, statusLabels } from './labels.ts';

/** Renders the report as Markdown. Pure. Untrusted text remains text: it cannot create a heading, link, image or tag. */
export function renderMarkdown(report: PrintableReport): string {
  const lang = readLanguage(report);
  const { title, tenant, period, sections, limitations } = report;
  const blocks = [
    `# ${escapeMarkdown(title)}`,
    `**${labels.tenant[lang]}:** ${escapeMarkdown(tenant.name)}  \n**${labels.period[lang]}:** ${formatTime(period.from, 'instant', lang)} – ${formatTime(period.to, 'instant', lang)}`,
    ...sections.flatMap((section) => [`## ${escapeMarkdown(section.title)}`, renderContent(section, lang)]),
    ...(limitations.length > 0 ? [`## ${labels.limitations[lang]}`, renderBullets(limitations)] : []),
  ];
  return `${blocks.join('\n\n')}\n`;
}

type Lang = ReturnType<typeof readLanguage>;

function renderContent(section: Section, lang: Lang): string {
  switch (section.kind) {
    case 'text':
      return section.content
        .split(/\n{2,}/)
        .map(escapeMarkdown)
        .join('\n\n');
    case 'list':
      return section.content.length === 0 ? labels.empty[lang] : renderBullets(section.content);
    case 'kpis':
      if (section.content.length === 0) return labels.empty[lang];
      return section.content
        .map(({ label, value, unit, status }) => {
          const judged = status === null ? '' : ` (${renderStatus(status, lang)})`;
          return `- ${escapeMarkdown(label)}: **${escapeMarkdown(formatCell(value, unit, lang))}**${judged}`;
        })
        .join('\n');
    case 'series':
      if (section.content.length === 0) return labels.noData[lang];
      return renderTable(
        {
          columns: [
            { key: 't', label: labels.when[lang], kind: 'date' },
            { key: 'v', label: labels.value[lang], kind: 'count' },
          ],
          rows: section.content.map(({ t, v }) => [t, v]),
          truncated: false,
        },
        lang,
      );
    case 'table':
      return renderTable(section.content, lang);
  }
}

function renderTable({ columns, rows, truncated }: Table, lang: Lang): string {
  if (rows.length === 0) return labels.empty[lang];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const shown = rows.map((row) =>
    line(
      columns.map(({ kind }, index) => {
        const value = row[index] ?? null;
        return kind === 'status' && typeof value === 'string'
          ? renderStatus(value, lang)
          : escapeMarkdown(formatCell(value, kind, lang));
      }),
    ),
  );
  return [
    line(columns.map(({ label }) => escapeMarkdown(label))),
    line(columns.map(({ kind }) => (isNumeric(kind) ? '---:' : '---'))),
    ...shown,
    ...(truncated ? ['', labels.truncated[lang]] : []),
  ].join('\n');
}

const renderStatus = (status: string, lang: Lang): string => {
  const label = statusLabels[status];
  return label ? `${label.shape} ${label.text[lang]}` : escapeMarkdown(status);
};

const renderBullets = (items: readonly string[]): string => items.map((item) => `- ${escapeMarkdown(item)}`).join('\n');

/** Escapes text into one line of Markdown. Addresses are escaped too: GitHub Flavored Markdown makes links of bare ones. */
function escapeMarkdown(text: string): string {
  return replaceControls(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_{}[\]<>#|~&@]|:(?=\/\/)|(?<=\bwww)\./gi, '\\$&')
    .replace(/^([-+]|\d+[.)])(?=\s)/, '\\$1');
}
