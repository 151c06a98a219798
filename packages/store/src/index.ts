export type { PoolClient } from 'pg';
export type { ListedDeadLetter, OriginalDeadLetter } from './admin/dead-letters.ts';
export { type ApiKey, DirectoryError, type KeyOwner, type Organization, type Tenant } from './admin/directory.ts';
export { type Admin, connectAdmin } from './admin/index.ts';
export { acceptedByOperator, type ListedLane } from './admin/lanes.ts';
export type { ListedSnapshot, SnapshotRequest, StoredSnapshot } from './admin/snapshots.ts';
export type { Status } from './admin/status.ts';
export { assertLeastPrivilege, openPool, type PoolOptions, withConnection } from './connection.ts';
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
export {
  type EvidencePage,
  type EvidencePosition,
  type EvidenceReading,
  type OrderedRows,
  type OrderTerm,
  readOrdered,
  windowValues,
} from './evidence/ordered.ts';
export { codeOf, isUnavailable, QueryTimedOut, StoreUnavailable } from './failure.ts';
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
  tickLanes,
} from './lane.ts';
export { type LaneStep, type LaneStepOutcome, spreadStamps, writeInLane } from './lane-batch.ts';
export { keepLeaves, type Leaves } from './leaves.ts';
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
export { type MigrateOptions, migrate, type RoleName } from './migrate.ts';
export { atOneMoment } from './one-moment.ts';
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
export {
  type History,
  type Settled,
  type SettledFeed,
  settledFeeds,
  sourcesBeside,
  type Watermark,
  watchWatermark,
} from './watermark.ts';
