import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Report } from '@tenantscope/contract';
import { renderReportPage } from '@tenantscope/report';
import { CommandError } from '../../command-error.ts';
import { fetchFromApi } from '../../connections/api-client.ts';
import type { CommandContext } from '../../context.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { escapeControlCharacters } from '../../output/escape-control-characters.ts';

export interface ReportOptions {
  readonly framework?: string;
  readonly from?: string;
  readonly to?: string;
  readonly lang?: string;
  readonly incident?: string;
  readonly html?: string;
  readonly url?: string;
  readonly tenant?: string;
}

/** Renders a template through the API, as Markdown or as a self-contained HTML page. */
export async function renderReport(
  template: string,
  options: ReportOptions,
  context: CommandContext,
): Promise<CommandResult> {
  const { framework, from, to, lang, incident, html } = options;
  const path = `/reports/templates/${encodeURIComponent(template)}/render`;
  const { data } = (await fetchFromApi(
    path,
    { framework, from, to, lang, incidentId: incident },
    options,
    context,
  )) as {
    readonly data: Report;
  };
  if (html === undefined) return { document: data, text: escapeControlCharacters(data.markdown, '\n').trimEnd() };
  const page = renderReportPage(data, await readFile(stylesheet, 'utf8'));
  if (html === '-') return { document: data, text: page.trimEnd() };
  await writeFile(html, page).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${html} cannot be written: ${error.code}`);
  });
  return { document: data, text: `${data.title}: ${html} (report ${data.reportId})` };
}

const stylesheet = fileURLToPath(import.meta.resolve('@tenantscope/report/report.css'));
