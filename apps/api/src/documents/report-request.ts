import { type ReportTemplate, reportTemplates } from '@tenantscope/compliance';
import {
  ApiError,
  dayMs,
  formatTime,
  getReport,
  listReportTemplates,
  type OperationInput,
  type ReportLanguage,
} from '@tenantscope/contract';
import { invalidParameter } from '../invalid-parameter.ts';

type Input = OperationInput<typeof getReport>;
type Name = keyof typeof getReport.parameters;

/** The parsed request of a report, before anything is read. */
export interface ReportRequest {
  readonly template: ReportTemplate;
  readonly fromMs: number;
  readonly toMs: number;
  readonly lang: ReportLanguage;
  readonly framework: string | null;
  readonly incidentId: string | null;
  /** Every parameter of the template as applied. */
  readonly parameters: Readonly<Record<string, string | null>>;
}

/** Throws NOT_FOUND for an unknown template, and INVALID_PARAMETER for a parameter that the template does not have or requires. */
export function parseReportRequest(input: Input, settledMs: number, connectedAtMs: number): ReportRequest {
  const template = reportTemplates.find(({ id }) => id === input.id);
  if (template === undefined)
    throw new ApiError('NOT_FOUND', `Report template not found. Use an id that ${listReportTemplates.name} returns.`);
  const taken = template.parameters.map(({ name }) => name);
  for (const name of Object.keys(getReport.parameters) as Name[])
    if (input[name] !== undefined && !taken.includes(name))
      throw invalidParameter(
        getReport,
        name,
        `is not a parameter of ${template.id}, which takes ${taken.join(', ')}`,
        taken,
      );
  for (const { name, required, allowed } of template.parameters)
    if (required && input[name as Name] === undefined)
      throw invalidParameter(getReport, name as Name, `is required by ${template.id}`, allowed ?? undefined);
  if (input.to !== undefined && input.to < connectedAtMs) {
    const since = formatTime(connectedAtMs);
    throw invalidParameter(
      getReport,
      'to',
      `is before ${since}, when this tenant was connected; use a time at or after ${since}`,
    );
  }
  const toMs = Math.min(input.to ?? settledMs, settledMs);
  const fromMs = input.from ?? toMs - defaultPeriodMs(template);
  if (fromMs > toMs)
    throw invalidParameter(getReport, 'from', `is later than ${formatTime(toMs)}, the latest complete time`);
  const lang = input.lang ?? 'en';
  const framework = input.framework ?? null;
  const incidentId = input.incidentId ?? null;
  const applied: Readonly<Record<string, string | null>> = {
    from: formatTime(fromMs),
    to: formatTime(toMs),
    lang,
    framework,
    incidentId,
  };
  return {
    template,
    fromMs,
    toMs,
    lang,
    framework,
    incidentId,
    parameters: Object.fromEntries(taken.map((name) => [name, applied[name] ?? null])),
  };
}

/** The default length of the period; 0 if the template has no start. */
function defaultPeriodMs({ parameters }: ReportTemplate): number {
  const defaultFrom = parameters.find(({ name }) => name === 'from')?.default;
  if (defaultFrom == null) return 0;
  const [, days] = /^-P(\d+)D$/.exec(defaultFrom) ?? [];
  if (days === undefined) throw new TypeError(`${defaultFrom} is not a supported default of from`);
  return Number(days) * dayMs;
}
