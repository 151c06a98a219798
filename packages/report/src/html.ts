import { languageOf, type PrintableReport } from './document.ts';
import { escapeText as text } from './escape.ts';
import { sectionHtml } from './section.ts';
import { showTime } from './show.ts';
import { frame, locales } from './words.ts';

/**
 * The report as one element. Pure. It bears classes only, no styles and no scripts, so that a strict content security policy lets it pass; its looks
 * stand in `report.css`.
 */
export function reportBody(report: PrintableReport): string {
  const lang = languageOf(report);
  const { title, tenant, period, generatedAt, generatedBy, sections, limitations, integrity } = report;
  const time = (at: string) => text(showTime(at, 'instant', lang));
  return [
    `<article class="report" lang="${locales[lang]}">`,
    '<header class="report-head">',
    `<p class="report-tenant"><bdi>${text(tenant.name)}</bdi></p>`,
    `<h1 class="report-title">${text(title)}</h1>`,
    `<p class="report-period">${time(period.from)} <span class="report-quiet">–</span> ${time(period.to)}</p>`,
    '</header>',
    ...sections.map((section, index) => sectionHtml(section, index, lang)),
    ...(limitations.length === 0
      ? []
      : [
          '<section class="report-section report-limitations" aria-labelledby="report-limitations">',
          `<h2 class="report-heading" id="report-limitations">${frame.limitations[lang]}</h2>`,
          `<ul class="report-list">${limitations.map((one) => `<li><bdi>${text(one)}</bdi></li>`).join('')}</ul>`,
          '</section>',
        ]),
    '<footer class="report-foot">',
    '<dl class="report-identity">',
    identity(frame.prepared[lang], `${time(generatedAt)}, ${frame.preparedBy[lang]} <bdi>${text(generatedBy)}</bdi>`),
    identity(
      frame.template[lang],
      `${text(report.templateId)}, ${frame.version[lang]} ${text(report.templateVersion)}`,
    ),
    identity(frame.tenant[lang], `<span class="report-code">${text(tenant.id)}</span>`),
    identity(frame.reportId[lang], `<span class="report-code">${text(report.reportId)}</span>`),
    ...(integrity ? [identity(frame.digest[lang], `<span class="report-code">${text(integrity.sha256)}</span>`)] : []),
    '</dl>',
    '</footer>',
    '</article>',
  ].join('\n');
}

const identity = (term: string, said: string): string => `<div><dt>${term}</dt><dd>${said}</dd></div>`;

/** A whole page that stands by itself, with its looks inside. The foot of each printed page holds what tells it from any other. */
export function reportPage(report: PrintableReport, stylesheet: string): string {
  const lang = languageOf(report);
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
    `<style>\n${stylesheet.replaceAll('</', '<\\/')}\n${pageFoot(digest, frame.page[lang])}\n</style>`,
    '</head>',
    '<body class="report-page">',
    reportBody(report),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Only a stylesheet can write into the margin of a printed page. */
function pageFoot(digest: string, page: string): string {
  return `@page { @bottom-left { content: "SHA-256 ${digest}"; } @bottom-right { content: "${page} " counter(page) " / " counter(pages); } }`;
}
