export { type Watermark, watchWatermark } from '../read/watermark.ts';
export { actionTable } from '../resource/action.ts';
export { agentEvidenceTable } from '../resource/agent-evidence.ts';
export { complianceRecordTable } from '../resource/compliance-record.ts';
export { detectionTable } from '../resource/detection.ts';
export { notificationTable } from '../resource/notification.ts';
export { policyScanTable } from '../resource/policy-scan.ts';
export { recordTables } from '../resource/record-tables.ts';
export { securityAlertTable } from '../resource/security-alert.ts';
export { backfillActorTallies, countActorDays } from './actor-backfill.ts';
export {
  type AgentProjection,
  type AgentSighting,
  type AgentSightings,
  createAgentSightings,
} from './agent-sightings.ts';
export { alertPartsMax, type MergeEvidence, writeAlertStates } from './alert-batch.ts';
export { readAppsSince, type TenantApp } from './app-changes.ts';
export type { AuditLogRow } from './audit-log-row.ts';
export {
  type ArrivedMessage,
  type DeadLetter,
  deadLetterId,
  deadLetterMaxBytes,
  deadLetterMessageId,
  deleteExpiredDeadLetters,
  type Replay,
} from './dead-letter.ts';
export {
  beginDeadLetterReplay,
  canManageDeadLetters,
  claimDeadLetterRequest,
  type DeadLetterAction,
  type DeadLetterOutcome,
  type DeadLetterRequest,
  type DeadLetterResult,
  type DeadLetterWithMessage,
  discardDeadLetter,
  maxReplaysPerSecond,
  readDeadLetter,
  readDeadLetterStatuses,
  recordDeadLetterResults,
  releaseDeadLetterRequest,
  settleForwardedDeadLetter,
  undoDeadLetterReplay,
} from './dead-letter-requests.ts';
export {
  type DirectoryOutcome,
  type DirectoryState,
  readDirectoryVersion,
  readModelTenants,
  readTenantIdentities,
  type TenantIdentity,
  writeDirectoryStates,
} from './directory.ts';
export { isEntityLive, writeEntityChanges } from './entity-batch.ts';
export type { EntityChange, MergeParts } from './entity-change.ts';
export { computeFeedLags, deleteOldFeedMinutes, type FeedSample, recordFeedMinute } from './feed-minute.ts';
export { type FencedTenant, readFencedTenants } from './fenced-tenants.ts';
export { endHungCopies } from './hung-copies.ts';
export { countImported, type ImportedMessage } from './import-outcomes.ts';
export {
  acceptedByOperator,
  type LaneIdentity,
  type LanePosition,
  type Ledger,
  type OpenedLane,
  openEpoch,
  openLanes,
  readLanes,
  readSourceLags,
  requireOpenEpoch,
  type SourceLag,
  setLaneState,
  tickLanes,
  unbindLanes,
} from './lane.ts';
export { recordLaneReaders } from './lane-reader.ts';
export { completeLaneSkip, countSkipped, type LaneSkip, readLaneSkips } from './lane-skip.ts';
export { type LaneStep, spreadStamps, writeLaneStep } from './lane-step.ts';
export { findCommonEnd, findOuterEnds, type LedgerEnds } from './ledger-end.ts';
export {
  type ComparedMessages,
  closeEpoch,
  compareMessages,
  type LedgerPosition,
  markPublished,
  type PendingEntry,
  readLedgerPosition,
  readPendingEntries,
  recordComparison,
  withLedgerLock,
} from './ledger-entries.ts';
export { type ImportedLogs, type LogBatchOutcome, type LogMerging, writeLogBatch } from './log-batch.ts';
export { type BlockBacklog, type BlockSlice, createBlockBacklog, writeLogBlocks } from './log-blocks.ts';
export { copyColumns, type PreparedRows, prepareRows } from './log-rows.ts';
export { type LogTally, logTallies } from './log-tallies.ts';
export { createPartCache, type PartCache } from './part-cache.ts';
export { createPartitionCache, type PartitionCache } from './partitions.ts';
export { countPendingDeadLetters, sumDeadLetterCounts } from './pending-dead-letters.ts';
export { readPrincipalsSince, readTenantPrincipals, type TenantPrincipal } from './principals.ts';
export { isLiveRecord, type RecordState, type RecordTable, type StateOutcome, writeStates } from './record-batch.ts';
export type { SealablePartition } from './seal/seal-blocks.ts';
export {
  completeSeal,
  findSealable,
  listLogTenants,
  readSealLag,
  sealNext,
} from './seal/seal-partition.ts';
export {
  type BindingCheck,
  readSourceBindings,
  recordBindingChecks,
  type SourceBinding,
} from './source-bindings.ts';
export { createStateProgress, type ProgressDelta, sumProgress, writeProgress } from './source-progress.ts';
export { backfillLogTally, listUnfinishedTallies, longestStepMs, mergeFileTallies } from './tally-backfill.ts';
export { countAgain } from './tally-sql.ts';
