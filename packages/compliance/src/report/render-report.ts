import type { Report, ReportLanguage, ReportSection } from '@tenantscope/contract';
import { digestJson, type Json } from '@tenantscope/proof';
import { renderMarkdown } from '@tenantscope/report';
import type { ReportTemplate } from '../catalogue/report-template.ts';
import { catalogueVersion } from '../catalogue/requirement.ts';
import { toJsonValue } from '../evidence/values/reported-value.ts';
import { evaluatorVersion } from '../status/status-document.ts';
import { text } from './content.ts';
import { listEndLimitations, readEndStatus, stateUnknown, statusUnknown } from './end-status.ts';
import { createTranslate, type LocalizedText, type Translate } from './language.ts';
import { generalLimitation, listConnectionLimitations } from './limitations.ts';
import type { EndStatus, ReportQuery, ReportReading } from './report-reading.ts';
import type { RenderContext, ReportBody, ReportWriter } from './report-writer.ts';
import { aiActDeployer } from './templates/ai-act-deployer.ts';
import { aiAgentGovernance } from './templates/ai-agent-governance.ts';
import { copilotReadinessPage } from './templates/copilot-readiness.ts';
import { dataExposure } from './templates/data-exposure.ts';
import { detectionAndResponse } from './templates/detection-and-response.ts';
import { executiveSummary } from './templates/executive-summary.ts';
import { frameworkReadiness } from './templates/framework-readiness.ts';
import { friaPrefill } from './templates/fria-prefill.ts';
import { incidentTimeline } from './templates/incident-timeline.ts';
import { kscAuditPreparation } from './templates/ksc-audit-preparation.ts';
import { remediationPerformance } from './templates/remediation-performance.ts';
import { socMonthly } from './templates/soc-monthly.ts';
import { thirdPartyApps } from './templates/third-party-apps.ts';

interface Writer extends Pick<ReportWriter<unknown>, 'statusSections' | 'presentSections'> {
  write(reading: ReportReading, context: RenderContext): Promise<ReportBody>;
}

const toWriterEntry = <Facts>({ id, read, write, ...sections }: ReportWriter<Facts>): readonly [string, Writer] => [
  id,
  { ...sections, write: async (reading, context) => write(await read(reading), context) },
];

const writers: ReadonlyMap<string, Writer> = new Map([
  toWriterEntry(executiveSummary),
  toWriterEntry(frameworkReadiness),
  toWriterEntry(aiAgentGovernance),
  toWriterEntry(aiActDeployer),
  toWriterEntry(friaPrefill),
  toWriterEntry(dataExposure),
  toWriterEntry(socMonthly),
  toWriterEntry(detectionAndResponse),
  toWriterEntry(remediationPerformance),
  toWriterEntry(thirdPartyApps),
  toWriterEntry(kscAuditPreparation),
  toWriterEntry(copilotReadinessPage),
  toWriterEntry(incidentTimeline),
]);

export interface ReportRequest {
  readonly template: ReportTemplate;
  readonly tenant: { readonly id: string; readonly name: string };
  /** As applied: every parameter of the template, defaults filled in. */
  readonly parameters: Readonly<Record<string, string | null>>;
  readonly generatedAtMs: number;
  readonly generatedBy: string;
}

/**
 * Renders a template from the facts of one read snapshot. Members that depend on the clock alone are not part of the id's
 * digest.
 */
export async function renderReport(query: ReportQuery, request: ReportRequest): Promise<Report> {
  const { template, parameters, generatedAtMs } = request;
  const { lang, fromMs, toMs, timeZone } = query;
  const translate = createTranslate(lang);
  const writer = writers.get(template.id);
  if (writer === undefined) throw new TypeError(`no writer for report template ${template.id}`);
  const end = await readEndStatus(query);
  const context = { lang, translate, fromMs, toMs, timeZone, frameworks: template.frameworks };
  const body = await writer.write({ ...query, end }, context);
  const sections = buildSections(template, { ...body.sections, ...hideUnknown(writer, end, translate) }, lang);
  const period = body.periodMs ?? { from: fromMs, to: toMs };
  const limitations = [
    ...listConnectionLimitations(period.from, query.connectedAtMs),
    ...listEndLimitations(end),
    ...body.limitations,
    generalLimitation,
  ].map((text) => translate(text).toWellFormed());
  const tenant = { id: request.tenant.id, name: request.tenant.name.toWellFormed() };
  const templateId = template.id;
  const templateVersion = template.version;
  const identity = { templateId, templateVersion, tenant, parameters, lang, sections, limitations };
  const unsigned = {
    reportId: await digestJson(identity as unknown as Json),
    templateId,
    templateVersion,
    title: translate(body.title ?? [template.name, template.namePl]),
    lang,
    parameters,
    tenant,
    period: { from: new Date(period.from).toISOString(), to: new Date(period.to).toISOString() },
    generatedAt: new Date(generatedAtMs).toISOString(),
    generatedBy: request.generatedBy.toWellFormed(),
    ...findVersions(end),
    sections,
    limitations,
  };
  const complete = { ...unsigned, markdown: renderMarkdown(unsigned) };
  return { ...complete, integrity: { sha256: await digestJson(complete as unknown as Json) } };
}

/** Of a past end those that its snapshot was evaluated with. */
function findVersions(end: EndStatus): Pick<Report, 'catalogueVersion' | 'evaluatorVersion'> {
  if (end.kind === 'current') return { catalogueVersion, evaluatorVersion };
  const status = end.kind === 'snapshot' ? end.status : null;
  return { catalogueVersion: status?.catalogueVersion ?? null, evaluatorVersion: status?.evaluatorVersion ?? null };
}

/** What stands in place of sections whose content at the end of the period is unknown. */
function hideUnknown(writer: Writer, end: EndStatus, translate: Translate): ReportBody['sections'] {
  const hide = (keys: readonly string[] = [], reason: LocalizedText) =>
    keys.map((key) => [key, text(translate(reason))] as const);
  return Object.fromEntries([
    ...(end.kind === 'unknown' ? hide(writer.statusSections, statusUnknown) : []),
    ...(end.kind === 'current' ? [] : hide(writer.presentSections, stateUnknown)),
  ]);
}

/** The template's sections in its order, converted to values that every reader parses alike. */
function buildSections(
  { sections }: ReportTemplate,
  contents: ReportBody['sections'],
  lang: ReportLanguage,
): ReportSection[] {
  return sections.map(({ key, label, labelPl }) => {
    const content = contents[key];
    if (content === undefined) throw new TypeError(`the report has no section ${key}`);
    return toJsonValue({ key, title: createTranslate(lang)([label, labelPl]), ...content }) as unknown as ReportSection;
  });
}
