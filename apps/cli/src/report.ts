import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Report } from '@tenantscope/contract';
import { reportPage } from '@tenantscope/report';
import type { Answer } from './answer.ts';
import { ask } from './ask.ts';
import { Refusal } from './failure.ts';
import type { Surroundings } from './surroundings.ts';
import { visible } from './visible.ts';

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

/** Renders a template through the API, as Markdown or as a page that stands by itself. */
export async function renderReport(template: string, options: ReportOptions, around: Surroundings): Promise<Answer> {
  const { framework, from, to, lang, incident, html } = options;
  const path = `/reports/templates/${encodeURIComponent(template)}/render`;
  const { data } = (await ask(path, { framework, from, to, lang, incidentId: incident }, options, around)) as {
    readonly data: Report;
  };
  if (html === undefined) return { document: data, text: visible(data.markdown, '\n').trimEnd() };
  const page = reportPage(data, await readFile(stylesheet, 'utf8'));
  if (html === '-') return { document: data, text: page.trimEnd() };
  await writeFile(html, page).catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(`${html} cannot be written: ${error.code}`);
  });
  return { document: data, text: `${data.title}: ${html} (report ${data.reportId})` };
}

const stylesheet = fileURLToPath(import.meta.resolve('@tenantscope/report/report.css'));
