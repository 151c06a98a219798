import { type ReportTemplate, reportTemplates } from '@tenantscope/compliance';
import {
  ApiError,
  getReport,
  type InputOf,
  listReportTemplates,
  type ReportLanguage,
  showTime,
} from '@tenantscope/contract';

type Input = InputOf<typeof getReport>;
type Name = keyof typeof getReport.parameters;

/** A report as it was asked for, before anything is read. */
export interface AskedReport {
  readonly template: ReportTemplate;
  readonly fromMs: number;
  readonly toMs: number;
  readonly lang: ReportLanguage;
  readonly framework: string | null;
  readonly incidentId: string | null;
  /** Every parameter of the template as applied. */
  readonly parameters: Readonly<Record<string, string | null>>;
}

const dayMs = 86_400_000;
/** The first year that every part of the service can write. */
const earliestMs = Date.parse('0001-01-01T00:00:00.000Z');

/** Throws NOT_FOUND for a template there is none of, and INVALID_PARAMETER for what it does not take or lacks. */
export function askedReport(input: Input, settledMs: number): AskedReport {
  const template = reportTemplates.find(({ id }) => id === input.id);
  if (template === undefined)
    throw new ApiError(
      'NOT_FOUND',
      `There is no such report. Take an id from the operation ${listReportTemplates.name}.`,
    );
  const taken = template.parameters.map(({ name }) => name);
  for (const name of Object.keys(getReport.parameters) as Name[])
    if (input[name] !== undefined && !taken.includes(name))
      throw refused(name, `is not taken by ${template.id}, which takes ${taken.join(', ')}`, taken);
  for (const { name, required, allowed } of template.parameters)
    if (required && input[name as Name] === undefined)
      throw refused(name as Name, `is needed by ${template.id}`, allowed ?? undefined);
  const toMs = Math.max(earliestMs, Math.min(input.to ?? settledMs, settledMs));
  const fromMs = Math.max(earliestMs, input.from ?? toMs - durationOf(template));
  if (fromMs > toMs) throw refused('from', `is later than ${showTime(toMs)}, the newest moment that is complete`);
  const lang = input.lang ?? 'en';
  const framework = input.framework ?? null;
  const incidentId = input.incidentId ?? null;
  const applied: Readonly<Record<string, string | null>> = {
    from: showTime(fromMs),
    to: showTime(toMs),
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

/** How long the period is by default; none where the template has no start. */
function durationOf({ parameters }: ReportTemplate): number {
  const told = parameters.find(({ name }) => name === 'from')?.default;
  if (told == null) return 0;
  const [, days] = /^-P(\d+)D$/.exec(told) ?? [];
  if (days === undefined) throw new TypeError(`${told} is no duration that reports begin by`);
  return Number(days) * dayMs;
}

function refused(parameter: Name, reason: string, allowed?: readonly string[]): ApiError {
  const { example } = getReport.parameters[parameter];
  return new ApiError(
    'INVALID_PARAMETER',
    `The parameter ${parameter} ${reason}. Correct it and repeat the request; details name what is allowed.`,
    [{ parameter, reason, ...(allowed ? { allowed } : {}), example }],
  );
}
