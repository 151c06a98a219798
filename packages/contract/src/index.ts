export { expandScopes, grantableScopes, type Scope, scopes } from './access/scope.ts';
export { listTenants, type Ping, pingKey, type Tenant } from './access/session.ts';
export { asTenantId, parseGuid, type TenantId } from './access/tenant-id.ts';
export { isTimeZone } from './access/time-zone.ts';
export {
  type CollectorLogin,
  type CollectorProvider,
  type CollectorProviderName,
  type CollectorStream,
  collectorProviderNames,
  collectorProviders,
  getCollectorProvider,
  isCollectorProviderName,
} from './collector/collector-providers.ts';
export { type FeedHealth, listFeeds } from './completeness/feed-health.ts';
export { type LogReceipt, listLogReceipts, receiptDaysMax } from './completeness/log-receipt.ts';
export {
  type ComparedStatusSource,
  type ComplianceComparison,
  getComplianceChanges,
} from './compliance/compliance-changes.ts';
export {
  type ComplianceException,
  listComplianceExceptions,
} from './compliance/compliance-exception.ts';
export {
  type ComplianceFinding,
  findingsPath,
  listComplianceFindings,
  type SubjectType,
} from './compliance/compliance-finding.ts';
export {
  type FrameworkHistoryPoint,
  historyPageMax,
  listFrameworkHistory,
  listRequirementHistory,
  type RequirementHistoryPoint,
  type SnapshotReference,
} from './compliance/compliance-history.ts';
export {
  type ComplianceSnapshot,
  listComplianceSnapshots,
  snapshotDigestMembers,
} from './compliance/compliance-snapshot.ts';
export {
  type AttestationState,
  type ComplianceChange,
  type ComplianceChanges,
  type ComplianceStatus,
  complianceStatus,
  type FrameworkStatus,
  getComplianceStatus,
  type RequirementExceptions,
  type RequirementStatus,
} from './compliance/compliance-status.ts';
export { type CopilotReadiness, getCopilotReadiness } from './compliance/copilot-readiness.ts';
export {
  agentLifecycleEvents,
  type EvidencePack,
  type EvidenceSectionKey,
  evidenceKeysPath,
  evidenceSectionKeys,
  getAgentEvidencePack,
} from './compliance/evidence-pack.ts';
export { type FrameworkKey, frameworkAliases, frameworkKeys } from './compliance/framework.ts';
export {
  getReport,
  listReportTemplates,
  type Report,
  type ReportCell,
  type ReportContent,
  type ReportKpi,
  type ReportLanguage,
  type ReportPoints,
  type ReportSection,
  type ReportTable,
  reportLanguages,
} from './compliance/report.ts';
export { getSecurityScore, type ScoreControl, type SecurityScore } from './compliance/security-score.ts';
export { dayMs, hourMs } from './durations.ts';
export {
  agentAudiences,
  agentLifecycleStatuses,
  agentPermissionKinds,
  agentPermissionSources,
  agentPlatforms,
  agentPublisherTypes,
  getAgent,
  listAgents,
} from './entity/agent.ts';
export { getApp, listApps } from './entity/app.ts';
export { deviceComplianceStates, getDevice, listDevices } from './entity/device.ts';
export { getEmail, listEmails } from './entity/email.ts';
export { entities } from './entity/entities.ts';
export { type FieldAnnotations, fieldAnnotations, nestedListMax } from './entity/field.ts';
export { getFile, listFiles } from './entity/file.ts';
export { getGroup, listGroups } from './entity/group.ts';
export { getLicense, listLicenses } from './entity/license.ts';
export { storeOnlyMembers } from './entity/record.ts';
export { getSensitiveInfoType, listSensitiveInfoTypes } from './entity/sensitive-info-type.ts';
export { getSite, listSites } from './entity/site.ts';
export { getUser, listUsers } from './entity/user.ts';
export { ApiError, type ErrorBody, type ErrorCode, type ErrorDetail, errors } from './error.ts';
export type { Feed, ScopeGroup, Source } from './feed/feed.ts';
export {
  feedReferences,
  findFeedByTopic,
  isSourceName,
  listFeedTopics,
  type RecordTopicName,
  recordTableNames,
  recordTopicNames,
  type SourceName,
  scopeGroups,
  sourceByRecordName,
  sources,
} from './feed/feed-lookup.ts';
export { type FeedName, type FeedReference, feedNames, feeds, type RecordTableName } from './feed/feeds.ts';
export { ledgerTopic, type Topic, type TopicName, topicName, topics } from './feed/topics.ts';
export { buildOpenApi } from './openapi/openapi.ts';
export {
  type Axis,
  type Document,
  document,
  type Example,
  entityTagConditionMax,
  findExampleId,
  type Get,
  get,
  isConditional,
  type List,
  type ListAxis,
  type ListContinuation,
  type ListFilters,
  type ListStart,
  listRepresentations,
  mayWait,
  type Operation,
  type OperationInput,
  parseSort,
  preferMax,
  requiredScopes,
  type SortKey,
  type TenantNeed,
  type UnfilteredList,
  unfilteredList,
  type Window,
} from './operation/operation.ts';
export { type OperationName, type OperationNamed, operations, retiredPaths } from './operation/operations.ts';
export { type Representation, representations } from './operation/representation.ts';
export { readAddress } from './parameter/ip-address.ts';
export {
  choice,
  choices,
  cursor,
  describeParameter,
  describeToolArgument,
  type FilterValues,
  filtersTextMax,
  instant,
  limitDefault,
  limitMax,
  type Parameter,
  type ParameterValue,
  pageMaxBytes,
  shortenInstant,
  text,
} from './parameter/parameter.ts';
export { invalidCursorMessage, parseInput, type RawParameter, rejectParameters } from './parameter/parse-input.ts';
export { earliestTimeMs, formatTime, parseTime } from './parameter/time.ts';
export type { RowView } from './parameter/view.ts';
export { type Action, actorKinds, listActions, revertBuckets, rungs } from './record/action.ts';
export {
  getLog,
  type LogsFilterName,
  type LogsFilters,
  type LogsSort,
  listLogs,
  userNamesMax,
} from './record/audit-log.ts';
export { type AuditLogEvent, auditLogEvent } from './record/audit-log-event.ts';
export {
  type Detection,
  detectionLevels,
  detectionStatuses,
  getDetection,
  listDetections,
} from './record/detection.ts';
export { listDetectionLogs } from './record/detection-logs.ts';
export * from './record/event-context.ts';
export { type IdReference, idReferences, type ReferencedResource } from './record/id-reference.ts';
export {
  getLogSummary,
  type LogSummary,
  type SummaryKey,
  summaryKeys,
  summaryKeysMax,
  summaryRowsMax,
} from './record/log-summary.ts';
export {
  createEventTemplate,
  type EventKey,
  type EventTemplate,
  formatEvent,
  joinMemberLines,
  type LineMember,
  lineMembers,
  type MemberLines,
} from './record/member-lines.ts';
export {
  listNotifications,
  type Notification,
  notificationChannels,
  notificationDecisions,
  notificationSources,
} from './record/notification.ts';
export { getPolicyScan, listPolicyScans, type PolicyScan, policyScanStatuses } from './record/policy-scan.ts';
export { rowViewSchemas } from './record/row-views.ts';
export {
  type AlertApp,
  type AlertDevice,
  type AlertEmail,
  type AlertFile,
  type AlertGroup,
  type AlertIp,
  type AlertSeverity,
  type AlertStatus,
  type AlertUser,
  alertElementsMax,
  alertSeverities,
  alertStatuses,
  getSecurityAlert,
  listSecurityAlerts,
  type SecurityAlert,
  type SecurityAlertDetail,
} from './record/security-alert.ts';
export {
  type ActorType,
  type EntityKind,
  entityKinds,
  type Outcome,
  type Severity,
  type SourceType,
  severities,
} from './record/vocabulary.ts';
export { createReferencePages, type ReferencePages, renderTable } from './reference/operation-page.ts';
export type { Schema as DescribedSchema } from './reference/schema-fields.ts';
export { productVersion } from './version.ts';
