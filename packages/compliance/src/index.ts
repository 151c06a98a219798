export { type FactsDigest, readFactsDigest } from '@tenantscope/store/compliance';
export {
  type ArticleWeight,
  articleWeights,
  type Coverage,
  determineCoverage,
  type RatedRequirement,
} from './catalogue/article-weight.ts';
export { type Citation, citations, listCitedRequirements, requirementsByArticle } from './catalogue/citations.ts';
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
  type MeasuredRequirement,
  type Requirement,
  type Rule,
  requirementCatalogue,
} from './catalogue/requirement.ts';
export { type Evaluation, evaluate } from './evaluation/evaluate.ts';
export { findExceptionState } from './evaluation/exception.ts';
export type { Attestation, Facts, SourceState, Verdict } from './evaluation/facts.ts';
export type { EvaluationKind, Metrics, Status } from './evaluation/outcome.ts';
export type { PackRequest, Pseudonymisation } from './evidence/pack-request.ts';
export { type EvidencePosition, type SectionPage, type SectionReader, toPosition } from './evidence/section-reader.ts';
export { sectionReaders } from './evidence/section-readers.ts';
export { writePack } from './evidence/write-pack.ts';
export { sectionMaxBytes } from './evidence/write-section.ts';
export { type ExceptionsPage, type ExceptionsQuery, readExceptionPage } from './exceptions/list-exceptions.ts';
export { writeExceptionsCsv } from './export/exceptions-csv.ts';
export { writeFindingsCsv } from './export/findings-csv.ts';
export { writeOscal } from './export/oscal.ts';
export { writeStatusCsv } from './export/status-csv.ts';
export {
  type FindingsPage,
  type FindingsQuery,
  findRequirement,
  readFindings,
} from './findings/read-findings.ts';
export { hasSubjects } from './findings/subjects.ts';
export { type ComparisonQuery, readComparison } from './history/read-comparison.ts';
export {
  findFrameworkKey,
  type HistoryPage,
  type HistoryQuery,
  readFrameworkHistory,
  readRequirementHistory,
} from './history/read-history.ts';
export { buildCopilotReadiness } from './readiness/copilot-readiness.ts';
export { readCopilotReadiness } from './readiness/read-readiness.ts';
export { formatReference } from './report/article-reference.ts';
export { type ReportRequest, renderReport } from './report/render-report.ts';
export type { ReportQuery } from './report/report-reading.ts';
export { UnknownIncident } from './report/templates/incident-timeline.ts';
export { readSecurityScore } from './security-score/read-security-score.ts';
export { buildSecurityScore } from './security-score/security-score.ts';
export type { FrameworkSelection } from './status/framework-selection.ts';
export { readStableStatus, readStatus, readStatusInSnapshot, type StatusQuery } from './status/read-status.ts';
export type { Baseline, ComparedStatus } from './status/status-changes.ts';
export { buildStatusDocument, type StatusInput } from './status/status-document.ts';
export type { StatusReading } from './status/status-reading.ts';
