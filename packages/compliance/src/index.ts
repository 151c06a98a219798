export { type Citation, citations, requirementsByArticle, requirementsOf } from './catalogue/citations.ts';
export {
  type EvidenceSection,
  evidenceLegend,
  evidenceSections,
  type LegendEntry,
  retentionFrameworks,
} from './catalogue/evidence.ts';
export { type Article, type Framework, frameworkAliases, frameworkCatalogue } from './catalogue/framework.ts';
export { type ReadinessDimension, readinessDimensions } from './catalogue/readiness-dimension.ts';
export { type ReportTemplate, reportTemplates } from './catalogue/report-template.ts';
export {
  type AttestedRequirement,
  catalogueVersion,
  type MeasuredRequirement,
  type Requirement,
  type Rule,
  requirementCatalogue,
} from './catalogue/requirement.ts';
export { type Baseline, type Compared, changesBetween } from './changes.ts';
export { type Evaluation, evaluate } from './evaluate.ts';
export { type PackRequest, packType, packVersion, writePack } from './evidence/pack.ts';
export { positionOf, type SectionPage, type SectionReader } from './evidence/section.ts';
export { sectionMaxBytes } from './evidence/section-text.ts';
export { sectionReaders } from './evidence/sections.ts';
export type { Attestation, Facts, SourceState, Verdict } from './facts.ts';
export type { EvaluationKind, Metrics, Status } from './outcome.ts';
export { readCopilotReadiness } from './read-readiness.ts';
export { readSecurityScore } from './read-security-score.ts';
export { readStatus, type StatusQuestion, statusBehind } from './read-status.ts';
export { readinessOf } from './readiness.ts';
export { UnknownIncident } from './report/incident-timeline.ts';
export type { ReportReading } from './report/reading.ts';
export { type ReportRequest, renderReport } from './report/render.ts';
export { securityScoreOf } from './security-score.ts';
export type { FrameworkSelection } from './selection.ts';
export { evaluatorVersion, type StatusInput, statusDocument } from './status-document.ts';
