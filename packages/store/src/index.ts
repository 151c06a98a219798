export type { PoolClient } from 'pg';
export { takeOnly } from './abort.ts';
export type { ListedDeadLetter, OriginalDeadLetter } from './admin/dead-letters.ts';
export { type ApiKey, DirectoryError, type KeyOwner, type Organization, type Tenant } from './admin/directory.ts';
export { type Admin, connectAdmin } from './admin/index.ts';
export { acceptedByOperator, type ListedLane } from './admin/lanes.ts';
export type { ListedSnapshot, SnapshotRequest, StoredSnapshot } from './admin/snapshots.ts';
export type { Status } from './admin/status.ts';
export {
  type CopilotExposure,
  type CopilotUsers,
  type ExposedSite,
  type ReachedType,
  readCopilotExposure,
} from './compliance/copilot.ts';
export {
  type AttestationPayload,
  type Declarations,
  type KeptSnapshot,
  readDeclarations,
  readLatestSnapshot,
  type ToldRecord,
} from './compliance/records.ts';
export {
  type PastScore,
  readVendorScores,
  type ToldControlProfile,
  type ToldControlScore,
  type ToldScore,
  type VendorScores,
} from './compliance/security-score.ts';
export { assertLeastPrivilege, openPool, type PoolOptions, withConnection } from './connection.ts';
export type { Acting, Change } from './console/acting.ts';
export {
  type AdminEventLink,
  adminEvent,
  beginning,
  type ChainFault,
  type ChainPlace,
  faultOf,
} from './console/admin-chain.ts';
export type { AdminEvent, AuditHead, AuditPeriod, AuditQuery, ChainVerdict } from './console/audit.ts';
export type { ListedCredential, NewPasskey, Passkey } from './console/credentials.ts';
export type { FeedLane, FeedMinute, FeedReport, SourceProgress } from './console/feeds.ts';
export { type ConsoleStore, connectConsole } from './console/index.ts';
export { keyTestAgent, type UseBucket, type UsedKey, type UsedKeyDetail } from './console/key-use.ts';
export {
  type ConsoleLetter,
  type ConsoleLetterRequest,
  type LetterPlace,
  type LetterQuery,
  type LetterSight,
  type LetterState,
  letterStates,
  type ReasonCount,
} from './console/letters.ts';
export type { PlaygroundRun } from './console/notes.ts';
export {
  type ListedPerson,
  type Person,
  type PersonChange,
  type PersonSource,
  type PersonWanted,
  type Role,
  roles,
} from './console/people.ts';
export { idleMinutes, longestHours } from './console/session-length.ts';
export type { ListedSession, Session } from './console/sessions.ts';
export type { Credential } from './console/sign-ins.ts';
export {
  type ArrivedMessage,
  type DeadLetter,
  deadLetterId,
  deadLetterMessageId,
  type Replay,
} from './dead-letter.ts';
export {
  type Applied,
  type DirectoryState,
  type KnownTenant,
  readKnownTenants,
  writeDirectoryStates,
} from './directory.ts';
export {
  type EntityChange,
  isEntityLive,
  type MergedParts,
  type MergeParts,
  writeEntityChanges,
} from './entity-batch.ts';
export type { AccountablePerson } from './evidence/accountable.ts';
export { type AgentActivity, readAgentActivity } from './evidence/activity-summary.ts';
export { type AiDetection, readAiDetections } from './evidence/ai-detections.ts';
export { type AiPolicyScan, readAiPolicyScans } from './evidence/ai-policy-scans.ts';
export {
  type DataRestriction,
  type Reader,
  type ReadsOfCarriers,
  readDataRestrictions,
} from './evidence/data-restrictions.ts';
export { type Counted, type FriaFacts, readFriaFacts } from './evidence/fria-summary.ts';
export { type FriaSystem, readFriaSystems } from './evidence/fria-systems.ts';
export { type InstructionChange, readInstructionChanges } from './evidence/instruction-changes.ts';
export { type InventoryAgent, readInventory } from './evidence/inventory.ts';
export { type LifecycleEvent, readLifecycleEvents } from './evidence/lifecycle-events.ts';
export type { EvidencePage, EvidencePosition, EvidenceReading, OrderedRows } from './evidence/ordered.ts';
export { type AgentPermission, readAgentPermissions } from './evidence/permissions.ts';
export { type AiReach, readAiReach } from './evidence/reach.ts';
export { type Remediation, readRemediation } from './evidence/remediation.ts';
export { type RestrictionEvent, readRestrictionHistory } from './evidence/restriction-history.ts';
export { type LogHistory, readLogHistory, readNewestStamp } from './evidence/standing.ts';
export { readStoreShelf, type ShelvedAgent } from './evidence/store-shelf.ts';
export { readThirdPartyApps, type ThirdPartyApp } from './evidence/third-party-apps.ts';
export { readThreatEvents, type ThreatEvent } from './evidence/threat-events.ts';
export { codeOf, isUnavailable, QueryTimedOut, StoreUnavailable } from './failure.ts';
export { dropOldMinutes, type FeedSample, feedOfSource, lagOfFeeds, noteMinute } from './feed-minute.ts';
export { connectKeys, type EndedKey, type KeyRecord, type Keys, type KeyUsage, type TenantOfKey } from './keys.ts';
export { type AppOfTenant, readAppsSince } from './known-apps.ts';
export {
  type LaneIdentity,
  type LaneStanding,
  type Ledger,
  markLane,
  openEpoch,
  openLanes,
  readLanes,
  type TickedSource,
  tickLanes,
} from './lane.ts';
export { type LaneStep, type LaneStepOutcome, spreadStamps, writeInLane } from './lane-batch.ts';
export { noteReaders, type ReadLane } from './lane-reader.ts';
export { keepLeaves, type Leaves } from './leaves.ts';
export {
  beginLetterReplay,
  discardLetter,
  giveLetterRequestBack,
  type LetterAct,
  type LetterOutcome,
  type LetterRequest,
  type LetterResult,
  type LetterStanding,
  type LetterToHandle,
  letterActs,
  letterOutcomes,
  mayHandleLetters,
  mostReplays,
  noteLetterResults,
  readLetter,
  readLetterStandings,
  replaysASecond,
  takeLetterRequest,
  undoLetterReplay,
} from './letter-requests.ts';
export { type LogBatch, type LogBatchOutcome, writeLogBatch } from './log-batch.ts';
export { type LogsPage, type LogsPageQuery, type LogsTextFilter, logsPageStatement, readLogsPage } from './log-page.ts';
export {
  type AuditLogRow,
  copyColumns,
  documentStampAt,
  type PreparedRows,
  prepareRows,
  stampBytes,
} from './log-rows.ts';
export type { Metric, Metrics, MetricsOf } from './metrics/figures.ts';
export { readMetrics } from './metrics/index.ts';
export { readSourceStates, type SourceGap, type SourceState, type SourceStates } from './metrics/sources.ts';
export { type MigrateOptions, migrate, type RoleName } from './migrate.ts';
export { atOneMoment, type MomentLimits, readClock } from './one-moment.ts';
export { connectReadModels, type ReadModels } from './read-models.ts';
export {
  headOf,
  isLiveRecord,
  type RecordState,
  type RecordTable,
  type StateOutcome,
  writeStates,
} from './record-batch.ts';
export {
  type RecordPage,
  type RecordPageQuery,
  type RecordPosition,
  readRecord,
  readRecordPage,
  recordPageStatement,
} from './record-page.ts';
export * from './report/index.ts';
export { actions, actionTable } from './resource/action.ts';
export { agentEvidenceTable, isLiveEvidence } from './resource/agent-evidence.ts';
export { complianceRecordTable } from './resource/compliance-record.ts';
export { detections, detectionTable } from './resource/detection.ts';
export { agents } from './resource/entity/agent.ts';
export { apps } from './resource/entity/app.ts';
export { devices } from './resource/entity/device.ts';
export { emails } from './resource/entity/email.ts';
export { files } from './resource/entity/file.ts';
export { groups } from './resource/entity/group.ts';
export { licenses } from './resource/entity/license.ts';
export { sensitiveInfoTypes } from './resource/entity/sensitive-info-type.ts';
export { sites } from './resource/entity/site.ts';
export { users } from './resource/entity/user.ts';
export { notifications, notificationTable } from './resource/notification.ts';
export { policyScans, policyScanTable } from './resource/policy-scan.ts';
export { securityAlerts, securityAlertTable } from './resource/security-alert.ts';
export {
  type Condition,
  equals,
  equalsAnyCase,
  holdsAny,
  isTrue,
  type Resource,
  startsWith,
  unlessAsked,
} from './resource.ts';
export { displayLength, displayOf, hashSecret, isWellFormedSecret, makeSecret, secretPattern } from './secret.ts';
export {
  failRequest,
  readScheduledTenants,
  readTakenPeriods,
  readWaitingRequests,
  type ScheduledTenant,
  type TakenPeriod,
  type WaitingRequest,
} from './snapshot-due.ts';
export { readSnapshotPage, type SnapshotPageQuery, snapshotPageStatement } from './snapshot-page.ts';
export { type ChainEnd, extendSnapshotChain, type SnapshotOccasion, type SnapshotRow } from './snapshots.ts';
export { sourceOfEntities } from './source-of-entities.ts';
export { keepProgress, type Progress, progressOfState, summed } from './source-progress.ts';
export {
  type History,
  type Settled,
  type SettledFeed,
  settledFeeds,
  sourcesBeside,
  type Watermark,
  watchWatermark,
} from './watermark.ts';
