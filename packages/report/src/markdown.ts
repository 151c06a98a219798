import { languageOf, type PrintableReport, type Section, type Table } from './document.ts';
import { isNumeric, show, showTime } from './show.ts';
import { frame, standings } from './words.ts';

/** The same content as Markdown. Pure. What others wrote stays text: it makes no heading, link, image or tag. */
export function markdownOf(report: PrintableReport): string {
  const lang = languageOf(report);
  const { title, tenant, period, sections, limitations } = report;
  const blocks = [
    `# ${plain(title)}`,
    `**${frame.tenant[lang]}:** ${plain(tenant.name)}  \n**${frame.period[lang]}:** ${showTime(period.from, 'instant', lang)} – ${showTime(period.to, 'instant', lang)}`,
    ...sections.flatMap((section) => [`## ${plain(section.title)}`, contentOf(section, lang)]),
    ...(limitations.length > 0 ? [`## ${frame.limitations[lang]}`, bullets(limitations)] : []),
  ];
  return `${blocks.join('\n\n')}\n`;
}

type Lang = ReturnType<typeof languageOf>;

function contentOf(section: Section, lang: Lang): string {
  switch (section.kind) {
    case 'text':
      return section.content
        .split(/\n{2,}/)
        .map(plain)
        .join('\n\n');
    case 'list':
      return section.content.length === 0 ? frame.nothing[lang] : bullets(section.content);
    case 'kpis':
      if (section.content.length === 0) return frame.nothing[lang];
      return section.content
        .map(({ label, value, unit, status }) => {
          const judged = status === null ? '' : ` (${statusText(status, lang)})`;
          return `- ${plain(label)}: **${plain(show(value, unit, lang))}**${judged}`;
        })
        .join('\n');
    case 'series':
      if (section.content.length === 0) return frame.noData[lang];
      return tableOf(
        {
          columns: [
            { key: 't', label: frame.when[lang], kind: 'date' },
            { key: 'v', label: frame.value[lang], kind: 'count' },
          ],
          rows: section.content.map(({ t, v }) => [t, v]),
          truncated: false,
        },
        lang,
      );
    case 'table':
      return tableOf(section.content, lang);
  }
}

function tableOf({ columns, rows, truncated }: Table, lang: Lang): string {
  if (rows.length === 0) return frame.nothing[lang];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const shown = rows.map((row) =>
    line(
      columns.map(({ kind }, index) => {
        const value = row[index] ?? null;
        return kind === 'status' && typeof value === 'string'
          ? statusText(value, lang)
          : plain(show(value, kind, lang));
      }),
    ),
  );
  return [
    line(columns.map(({ label }) => plain(label))),
    line(columns.map(({ kind }) => (isNumeric(kind) ? '---:' : '---'))),
    ...shown,
    ...(truncated ? ['', frame.truncated[lang]] : []),
  ].join('\n');
}

const statusText = (status: string, lang: Lang): string => {
  const known = standings[status];
  return known ? `${known.shape} ${known.words[lang]}` : plain(status);
};

const bullets = (items: readonly string[]): string => items.map((item) => `- ${plain(item)}`).join('\n');

/** One line of text, whatever it holds. */
function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_{}[\]<>#|~&]/g, '\\$&')
    .replace(/^([-+]|\d+[.)])(?=\s)/, '\\$1');
}
