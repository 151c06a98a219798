export { type CopilotExposure, readCopilotExposure } from './copilot.ts';
export type { AccountablePerson } from './evidence/accountable.ts';
export { type AgentActivity, readAgentActivity } from './evidence/activity-summary.ts';
export { type AiDetection, readAiDetections } from './evidence/ai-detections.ts';
export { type AiPolicyScan, readAiPolicyScans } from './evidence/ai-policy-scans.ts';
export { type DataRestriction, type RestrictedDataReader, readDataRestrictions } from './evidence/data-restrictions.ts';
export { type DirectoryPerson, readDirectoryPersons } from './evidence/directory-persons.ts';
export { type Counted, type FriaFacts, readFriaFacts } from './evidence/fria-summary.ts';
export { type FriaSystem, readFriaSystems } from './evidence/fria-systems.ts';
export { type InstructionChange, readInstructionChanges } from './evidence/instruction-changes.ts';
export { type InventoryAgent, readInventory } from './evidence/inventory.ts';
export { type LifecycleEvent, readLifecycleEvents } from './evidence/lifecycle-events.ts';
export { type LogHistory, readLogHistory } from './evidence/log-history.ts';
export type { EvidencePage, EvidencePosition, EvidenceQuery } from './evidence/ordered.ts';
export { type AgentPermission, readAgentPermissions } from './evidence/permissions.ts';
export { type AiReach, readAiReach } from './evidence/reach.ts';
export { type Remediation, readRemediation } from './evidence/remediation.ts';
export { type RestrictionEvent, readRestrictionHistory } from './evidence/restriction-history.ts';
export { readStatementStates, type StatementState } from './evidence/statement-states.ts';
export { readStoreShelf, type ShelvedAgent } from './evidence/store-shelf.ts';
export { readThirdPartyApps, type ThirdPartyApp } from './evidence/third-party-apps.ts';
export { readThreatEvents, type ThreatEvent } from './evidence/threat-events.ts';
export type { Covering } from './exceptions/covering.ts';
export { type ExceptedSubjects, readExceptedSubjects } from './exceptions/excepted-subjects.ts';
export {
  type ExceptionPayload,
  type RecordedException,
  readExceptions,
  type SubjectQuery,
} from './exceptions/read-exceptions.ts';
export { type FactsDigest, readFactsDigest } from './facts-digest.ts';
export {
  type Finding,
  type FindingPage,
  type FindingPosition,
  type FindingState,
  readFindingPage,
} from './findings/finding-page.ts';
export { requirementsAboutAccounts, requirementsAboutEvents, requirementsWithSubjects } from './findings/rules.ts';
export { readMetrics } from './metrics/read-metrics.ts';
export { readSourceStates, type SourceState, type SourceStates } from './metrics/subject/sources.ts';
export {
  type Declarations,
  type EvidenceReference as ReportedReference,
  type RecordedAttestation,
  readDeclarations,
  readLatestSnapshot,
  type SnapshotSummary,
} from './records.ts';
export {
  type ListedAction,
  type RungFigures,
  readActionsByCondition,
  readRungFigures,
  readSettlementFigures,
  type SettlementFigures,
} from './report/actions.ts';
export {
  type AffectedEntity,
  type FindingDay,
  type FindingFigures,
  type OpenFinding,
  readFindingDays,
  readFindingFigures,
  readMostAffectedEntities,
  readOpenFindings,
} from './report/findings.ts';
export {
  type AwarenessStatement,
  type Incident,
  type IncidentAction,
  type IncidentNotification,
  readAwarenessStatement,
  readIncident,
  readIncidentActions,
  readIncidentNotifications,
  readUserNames,
} from './report/incident.ts';
export { type NotificationFigures, readNotificationFigures } from './report/notifications.ts';
export { readSnapshotParts, type SnapshotPart, type SnapshotPartQuery } from './report/snapshot-history.ts';
export { type ReadinessPoint, readReadinessTrend, readSnapshotBefore } from './report/snapshots.ts';
export {
  type ReportedControlProfile,
  type ReportedScore,
  readVendorScores,
  type ScoreHistoryPoint,
  type VendorScores,
} from './security-score.ts';
