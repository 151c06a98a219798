import type { Report, ReportLanguage, ReportSection } from '@tenantscope/contract';
import { digestOf, type Json } from '@tenantscope/proof';
import { markdownOf } from '@tenantscope/report';
import type { ReportTemplate } from '../catalogue/report-template.ts';
import { toldValue } from '../evidence/told-value.ts';
import { aiActDeployer } from './ai-act-deployer.ts';
import { aiAgentGovernance } from './ai-agent-governance.ts';
import { copilotReadinessPage } from './copilot-readiness.ts';
import { dataExposure } from './data-exposure.ts';
import { detectionAndResponse } from './detection-and-response.ts';
import { executiveSummary } from './executive-summary.ts';
import { frameworkReadiness } from './framework-readiness.ts';
import { friaPrefill } from './fria-prefill.ts';
import { incidentTimeline } from './incident-timeline.ts';
import { kscAuditPreparation } from './ksc-audit-preparation.ts';
import { speaker } from './language.ts';
import { standingLimitations } from './limitation.ts';
import type { ReportReading } from './reading.ts';
import { remediationPerformance } from './remediation-performance.ts';
import { socMonthly } from './soc-monthly.ts';
import { thirdPartyApps } from './third-party-apps.ts';
import type { Page, ReportWriter, Written } from './writer.ts';

type Write = (reading: ReportReading, page: Page) => Promise<Written>;

const withFacts = <Facts>({ id, read, write }: ReportWriter<Facts>): readonly [id: string, write: Write] => [
  id,
  async (reading, page) => write(await read(reading), page),
];

const writers: ReadonlyMap<string, Write> = new Map([
  withFacts(executiveSummary),
  withFacts(frameworkReadiness),
  withFacts(aiAgentGovernance),
  withFacts(aiActDeployer),
  withFacts(friaPrefill),
  withFacts(dataExposure),
  withFacts(socMonthly),
  withFacts(detectionAndResponse),
  withFacts(remediationPerformance),
  withFacts(thirdPartyApps),
  withFacts(kscAuditPreparation),
  withFacts(copilotReadinessPage),
  withFacts(incidentTimeline),
]);

export interface ReportRequest {
  readonly template: ReportTemplate;
  readonly tenant: { readonly id: string; readonly name: string };
  /** As applied: every parameter of the template, defaults filled in. */
  readonly parameters: Readonly<Record<string, string | null>>;
  readonly generatedAtMs: number;
  readonly generatedBy: string;
}

/** A template rendered from the facts of one moment. What is about the clock alone stands outside of what makes its id. */
export async function renderReport(reading: ReportReading, request: ReportRequest): Promise<Report> {
  const { template, parameters, generatedAtMs } = request;
  const { lang } = reading;
  const say = speaker(lang);
  const write = writers.get(template.id);
  if (write === undefined) throw new TypeError(`nobody writes ${template.id}`);
  const { fromMs, toMs } = reading;
  const written = await write(reading, { lang, say, fromMs, toMs, frameworks: template.frameworks });
  const sections = sectionsOf(template, written, lang);
  const limitations = [...written.limitations, ...standingLimitations(reading)].map((words) =>
    say(words).toWellFormed(),
  );
  const tenant = { id: request.tenant.id, name: request.tenant.name.toWellFormed() };
  const templateId = template.id;
  const templateVersion = template.version;
  const identity = { templateId, templateVersion, tenant, parameters, lang, sections, limitations };
  const period = written.periodMs ?? { from: fromMs, to: toMs };
  const unsealed = {
    reportId: await digestOf(identity as unknown as Json),
    templateId,
    templateVersion,
    title: say([template.name, template.namePl]),
    lang,
    parameters,
    tenant,
    period: { from: new Date(period.from).toISOString(), to: new Date(period.to).toISOString() },
    generatedAt: new Date(generatedAtMs).toISOString(),
    generatedBy: request.generatedBy.toWellFormed(),
    sections,
    limitations,
  };
  const whole = { ...unsealed, markdown: markdownOf(unsealed) };
  return { ...whole, integrity: { sha256: await digestOf(whole as unknown as Json) } };
}

/** Exactly the template's, in its order, in text and numbers that every reader understands alike. */
function sectionsOf({ sections }: ReportTemplate, written: Written, lang: ReportLanguage): ReportSection[] {
  return sections.map(({ key, label, labelPl }) => {
    const content = written.sections[key];
    if (content === undefined) throw new TypeError(`nobody writes the section ${key}`);
    return toldValue({ key, title: speaker(lang)([label, labelPl]), ...content }) as unknown as ReportSection;
  });
}
