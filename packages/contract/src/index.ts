export { type Action, actorKinds, listActions, revertBuckets, rungs } from './action.ts';
export { type AuditLogEvent, auditLogEvent } from './audit-log-event.ts';
export {
  type ComplianceChange,
  type ComplianceChanges,
  type ComplianceStatus,
  complianceStatus,
  type FrameworkStatus,
  getComplianceStatus,
  type RequirementStatus,
} from './compliance.ts';
export {
  type ComplianceSnapshot,
  listComplianceSnapshots,
  sealedSnapshotMembers,
  snapshotPageMaxBytes,
  snapshotTriggers,
} from './compliance-snapshot.ts';
export { type CopilotReadiness, getCopilotReadiness } from './copilot-readiness.ts';
export { type Detection, detectionLevels, detectionStatuses, getDetection, listDetections } from './detection.ts';
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
export { type FieldNotes, fieldNotes, listMax } from './entity/field.ts';
export { getFile, listFiles } from './entity/file.ts';
export { getGroup, listGroups } from './entity/group.ts';
export { getLicense, listLicenses } from './entity/license.ts';
export { storeMembers } from './entity/record.ts';
export { getSensitiveInfoType, listSensitiveInfoTypes } from './entity/sensitive-info-type.ts';
export { getSite, listSites } from './entity/site.ts';
export { getUser, listUsers } from './entity/user.ts';
export { ApiError, type ErrorBody, type ErrorCode, type ErrorDetail, errors } from './error.ts';
export {
  agentLifecycleEvents,
  type EvidencePack,
  type EvidenceSectionKey,
  evidenceKeysPath,
  evidenceSectionKeys,
  getAgentEvidencePack,
} from './evidence.ts';
export { type FrameworkKey, frameworkAliases, frameworkKeys } from './framework.ts';
export { type IdNotes, idNotes, type Named } from './id-of.ts';
export { type LogsFilterName, type LogsFilters, type LogsSort, listLogs } from './logs.ts';
export {
  listNotifications,
  type Notification,
  notificationChannels,
  notificationDecisions,
  notificationSources,
} from './notification.ts';
export { openApi } from './openapi.ts';
export {
  type Axis,
  type AxisOf,
  type Document,
  document,
  type Example,
  type FiltersOf,
  type Get,
  get,
  type History,
  history,
  type InputOf,
  type List,
  type ListContinuation,
  type ListStart,
  list,
  type Operation,
  type SortKey,
  sortKey,
  type TenantNeed,
  type Window,
} from './operation.ts';
export { type OperationName, type OperationNamed, operations, retiredPaths } from './operations.ts';
export {
  choice,
  choices,
  cursor,
  describe,
  describeBriefly,
  type FilterValues,
  flag,
  instant,
  limitDefault,
  limitMax,
  type Parameter,
  type ParameterValue,
  text,
  texts,
} from './parameter.ts';
export { getPolicyScan, listPolicyScans, type PolicyScan, policyScanStatuses } from './policy-scan.ts';
export { cursorWords, type GivenParameter, readInput, refuseParameters } from './read-input.ts';
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
} from './report.ts';
export { expandScopes, grantableScopes, type Scope, scopeAliases, scopes } from './scope.ts';
export {
  type AlertApp,
  type AlertEmail,
  type AlertGroup,
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
} from './security-alert.ts';
export { getSecurityScore, type ScoreControl, type SecurityScore } from './security-score.ts';
export { listTenants, type Ping, pingKey, type Tenant } from './session.ts';
export { asTenantId, readGuid, type TenantId } from './tenant-id.ts';
export { parseTime, showTime } from './time.ts';
export { isTimeZone } from './time-zone.ts';
export { type Topic, type TopicName, topicName, topics } from './topics.ts';
export {
  type ActorType,
  actorTypes,
  type EntityKind,
  entityKinds,
  type Outcome,
  outcomes,
  type Severity,
  type SourceType,
  severities,
  sourceTypes,
} from './vocabulary.ts';
