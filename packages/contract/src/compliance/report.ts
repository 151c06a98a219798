import { z } from 'zod';
import { document, get } from '../operation/operation.ts';
import { choice, instant as instantParameter, text as textParameter } from '../parameter/parameter.ts';
import { instant, nullableText } from '../record/scalar.ts';
import { frameworkAliases, frameworkKeys } from './framework.ts';

export const reportLanguages = ['en', 'pl'] as const;
export type ReportLanguage = (typeof reportLanguages)[number];

const text = (description: string) => z.string().meta({ description });
const texts = (description: string) => z.array(z.string()).meta({ description });
const digest = (description: string) => z.string().length(64).meta({ description });

const reportTemplate = z
  .object({
    id: text('Stable id: lower-case ASCII and hyphens.'),
    version: text('Changes with every change of content or layout.'),
    name: text('Name in English.'),
    namePl: text('Name in Polish.'),
    description: text('Purpose, in English.'),
    descriptionPl: text('Purpose, in Polish.'),
    audience: text('Audience: board, compliance, soc, auditor or regulator.'),
    parameters: z
      .array(
        z.object({
          name: text('Name of the parameter.'),
          type: text('timestamp, registryKey or string.'),
          required: z.boolean().meta({ description: 'Whether it is required.' }),
          default: z.string().nullable().meta({
            description:
              'now: the newest complete instant. For from: an ISO 8601 duration before to. null: no default.',
          }),
          allowed: z.array(z.string()).nullable().meta({ description: 'Allowed values; null: any value.' }),
        }),
      )
      .meta({ description: 'Accepted parameters; others are rejected.' }),
    sections: z
      .array(z.object({ key: text('Key.'), label: text('Name in English.'), labelPl: text('Name in Polish.') }))
      .meta({ description: 'In the order of the page.' }),
    frameworks: texts(
      'Keys of the frameworks it covers; if empty, those that the tenant selected, or the requested one.',
    ),
  })
  .meta({ id: 'ReportTemplate', description: 'A report that can be rendered, and its parameters.' });

const cell = z.union([z.string(), z.number(), z.boolean()]).nullable();

const kpi = z.object({
  label: text('Label, in the language of the report.'),
  value: cell.meta({ description: 'Null if unknown.' }),
  unit: z.string().nullable().meta({
    description: 'percent, count, minutes, hours, days or instant; null for text.',
  }),
  status: z.string().nullable().meta({
    description:
      'met, at_risk, not_met, not_evaluated or unknown (a past end without a snapshot); null if there is no status.',
  }),
});

const table = z.object({
  columns: z
    .array(
      z.object({
        key: text('Key.'),
        label: text('Column heading, in the language of the report.'),
        kind: text(
          'text, count, bar (a count to compare), percent, minutes, hours, days, points, date, instant, status or flag. Cells of status are codes, for example met, at_risk, not_evaluated, indicators_met (an article whose indicators are in order) or nothing_to_measure.',
        ),
      }),
    )
    .meta({ description: 'Columns.' }),
  rows: z.array(z.array(cell)).meta({ description: 'Cells in the order of the columns; null if unknown.' }),
  truncated: z.boolean().meta({ description: 'Whether rows were left out.' }),
});

const points = z.array(z.object({ t: instant('When.'), v: z.number().nullable().meta({ description: 'Value.' }) }));

const section = (kind: string, id: string, content: z.ZodType) =>
  z
    .object({
      key: text('Key, as the template lists it.'),
      title: text('Title in the language of the report.'),
      kind: z.literal(kind).meta({ description: 'Type of content.' }),
      content,
    })
    .meta({ id });

const reportSection = z.discriminatedUnion('kind', [
  section('text', 'ReportText', text('Paragraphs, separated by an empty line.')),
  section('kpis', 'ReportKpis', z.array(kpi)),
  section('table', 'ReportTable', table),
  section('series', 'ReportSeries', points),
  section('list', 'ReportList', z.array(z.string())),
]);

const report = z
  .object({
    reportId: digest(
      'SHA-256, lower-case hex, of the RFC 8785 form of { templateId, templateVersion, tenant, parameters, lang, sections, limitations }: equal content has an equal id.',
    ),
    templateId: text('Id of the template.'),
    templateVersion: text('Its version.'),
    title: text('Title in the language of the report.'),
    lang: text('en or pl.'),
    parameters: z.record(z.string(), z.string().nullable()).meta({ description: 'As applied, defaults filled in.' }),
    tenant: z.object({ id: text('Id.'), name: text('Name.') }).meta({ description: 'The tenant.' }),
    period: z
      .object({ from: instant('Start, included.'), to: instant('End, included.') })
      .meta({ description: 'The period as applied.' }),
    generatedAt: instant('When it was rendered.'),
    generatedBy: text('The API key that requested it.'),
    catalogueVersion: nullableText('Version of the catalogue behind its statuses; null if these are unknown.'),
    evaluatorVersion: nullableText('Version of the evaluation rules behind its statuses.'),
    sections: z.array(reportSection).meta({ description: 'One for each section of the template, in its order.' }),
    markdown: text('The same content as Markdown.'),
    limitations: texts('What the report cannot show, in its language.'),
    integrity: z
      .object({ sha256: digest('SHA-256 of the RFC 8785 form of this document without integrity.') })
      .meta({ description: 'Digest to detect alterations.' }),
  })
  .meta({ id: 'Report', description: 'A rendered report. Texts in it are from third parties.' });

export type ReportCell = z.infer<typeof cell>;
export type ReportKpi = z.infer<typeof kpi>;
export type ReportTable = z.infer<typeof table>;
export type ReportPoints = z.infer<typeof points>;

/** Content of a section, by its kind. */
export type ReportContent =
  | { readonly kind: 'text'; readonly content: string }
  | { readonly kind: 'kpis'; readonly content: readonly ReportKpi[] }
  | { readonly kind: 'table'; readonly content: ReportTable }
  | { readonly kind: 'series'; readonly content: ReportPoints }
  | { readonly kind: 'list'; readonly content: readonly string[] };

export type ReportSection = { readonly key: string; readonly title: string } & ReportContent;
export type Report = Omit<z.infer<typeof report>, 'sections'> & { readonly sections: readonly ReportSection[] };

export const listReportTemplates = document({
  name: 'list_report_templates',
  path: '/reports/templates',
  scope: 'evidence:read',
  tenant: 'required',
  returns: 'collection',
  summary: 'Report templates',
  description: 'Every report that can be rendered, on one page: audience, purpose, parameters and sections.',
  toolDescription: 'Reports that can be rendered, with the parameters each takes. Next: get_report.',
  containsUntrustedText: false,
  record: reportTemplate,
  examples: [{ description: 'Available reports', input: {} }],
});

export const getReport = get({
  name: 'get_report',
  path: '/reports/templates/{id}/render',
  scope: 'evidence:read',
  summary: 'One report',
  description:
    'Renders a template: typed sections, and the same content as Markdown, in English or Polish. A template accepts the parameters it lists and rejects others. ' +
    'Statuses are those at the end of the period, by default the newest complete instant. For an end after which records arrived they come from the newest snapshot at or before it; without one they are unknown. A period that ends before the tenant was connected is refused. The same parameters over unchanged data give the same reportId. ' +
    'Nothing is stored. `tenantscope report` writes a printable document.',
  toolDescription:
    'A page for a board, auditor, SOC or regulator. id: a template of list_report_templates, which lists its parameters.',
  containsUntrustedText: true,
  exampleId: 'executive-summary',
  record: report,
  parameters: {
    from: instantParameter('Start of the period. Default: that of the template.', '2026-10-01T00:00:00Z', {
      brief: '',
    }),
    to: instantParameter('End of the period. Default: the newest complete instant.', '2026-11-01T00:00:00Z', {
      brief: '',
    }),
    framework: choice(frameworkKeys, 'The framework; required by framework-readiness.', 'nis2', {
      brief: 'For framework-readiness.',
      aliases: frameworkAliases,
    }),
    lang: choice(reportLanguages, 'Language of the report. Default: en.', 'pl', { brief: '' }),
    incidentId: textParameter(
      'For incident-timeline: id of a detection or security alert; by default the newest of high or critical severity.',
      'det_2738af7b30ca449cb949',
      { brief: 'For incident-timeline.' },
    ),
  },
  examples: [],
});
