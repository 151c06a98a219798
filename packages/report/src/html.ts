import { type Language, type PrintableReport, readLanguage } from './document.ts';
import { escapeText as text } from './escape.ts';
import { formatTime } from './format.ts';
import { labels, locales } from './labels.ts';
import { renderSection } from './section.ts';

/**
 * Renders the report as one element. Pure. It has classes only, no styles and no scripts, so that a strict content security
 * policy allows it; the styles are in `report.css`.
 */
export function renderReportBody(report: PrintableReport): string {
  const lang = readLanguage(report);
  const { title, tenant, period, generatedAt, generatedBy, sections, limitations, integrity } = report;
  const time = (at: string) => text(formatTime(at, 'instant', lang));
  return [
    `<article class="report" lang="${locales[lang]}">`,
    '<header class="report-head">',
    `<p class="report-tenant"><bdi>${text(tenant.name)}</bdi></p>`,
    `<h1 class="report-title">${text(title)}</h1>`,
    `<p class="report-period">${time(period.from)} <span class="report-quiet">–</span> ${time(period.to)}</p>`,
    '</header>',
    ...sections.map((section, index) => renderSection(section, index, lang)),
    ...(limitations.length === 0
      ? []
      : [
          '<section class="report-section report-limitations" aria-labelledby="report-limitations">',
          `<h2 class="report-heading" id="report-limitations">${labels.limitations[lang]}</h2>`,
          `<ul class="report-list">${limitations.map((one) => `<li><bdi>${text(one)}</bdi></li>`).join('')}</ul>`,
          '</section>',
        ]),
    '<footer class="report-foot">',
    '<dl class="report-identity">',
    renderTerm(
      labels.prepared[lang],
      `${time(generatedAt)}, ${labels.preparedBy[lang]} <bdi>${text(translateKey(generatedBy, lang))}</bdi>`,
    ),
    renderTerm(
      labels.template[lang],
      `${text(report.templateId)}, ${labels.version[lang]} ${text(report.templateVersion)}`,
    ),
    ...listVersions(report, lang),
    renderTerm(labels.tenant[lang], `<span class="report-code">${text(tenant.id)}</span>`),
    renderTerm(labels.reportId[lang], `<span class="report-code">${text(report.reportId)}</span>`),
    ...(integrity
      ? [renderTerm(labels.digest[lang], `<span class="report-code">${text(integrity.sha256)}</span>`)]
      : []),
    '</dl>',
    '</footer>',
    '</article>',
  ].join('\n');
}

function listVersions({ catalogueVersion, evaluatorVersion }: PrintableReport, lang: Language): string[] {
  if (catalogueVersion == null) return [];
  const catalogue = `${labels.version[lang]} ${text(catalogueVersion)}`;
  const rules =
    evaluatorVersion == null ? '' : `; ${labels.evaluation[lang]}: ${labels.version[lang]} ${text(evaluatorVersion)}`;
  return [renderTerm(labels.catalogue[lang], catalogue + rules)];
}

/** The service names the key after the name that it was given. */
const translateKey = (generatedBy: string, lang: Language): string =>
  generatedBy.replace(/\(key ([0-9a-f-]+)\)$/, (_, id: string) => `(${labels.key[lang]} ${id})`);

const renderTerm = (term: string, value: string): string => `<div><dt>${term}</dt><dd>${value}</dd></div>`;

/**
 * Renders a standalone page with its styles inside. The foot of each page on paper has the digest that identifies the
 * document.
 */
export function renderReportPage(report: PrintableReport, stylesheet: string): string {
  const lang = readLanguage(report);
  const digest = /^[0-9a-f]{64}$/.exec(report.integrity?.sha256 ?? '')?.[0] ?? '';
  return [
    '<!doctype html>',
    `<html lang="${locales[lang]}">`,
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${text(`${report.title} – ${report.tenant.name}`)}</title>`,
    `<style>\n${stylesheet.replaceAll('</', '<\\/')}\n${renderPageFooter(digest, labels.page[lang])}\n</style>`,
    '</head>',
    '<body class="report-page">',
    renderReportBody(report),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Only a stylesheet can write into the margin of a page on paper. */
function renderPageFooter(digest: string, page: string): string {
  return `@page { @bottom-left { content: "SHA-256 ${digest}"; } @bottom-right { content: "${page} " counter(page) " / " counter(pages); } }`;
}
