export { type Watermark, watchWatermark } from '../read/watermark/watermark.ts';
export { actionTable } from '../resource/action.ts';
export { agentEvidenceTable } from '../resource/agent-evidence.ts';
export { complianceRecordTable } from '../resource/compliance-record.ts';
export { detectionTable } from '../resource/detection.ts';
export { notificationTable } from '../resource/notification.ts';
export { policyScanTable } from '../resource/policy-scan.ts';
export { recordTables } from '../resource/record-tables.ts';
export { securityAlertTable } from '../resource/security-alert.ts';
export { backfillActorTallies, countActorDays } from './backfill/actor-backfill.ts';
export { backfillLogTally, listUnfinishedTallies, longestStepMs, mergeFileTallies } from './backfill/tally-backfill.ts';
export { countAgain } from './backfill/tally-sql.ts';
export {
  type AgentProjection,
  type AgentSighting,
  type AgentSightings,
  createAgentSightings,
} from './entity/agent-sightings.ts';
export { readAppsSince, type TenantApp } from './entity/app-changes.ts';
export { isEntityLive, writeEntityChanges } from './entity/entity-batch.ts';
export type { EntityChange, MergeParts } from './entity/entity-change.ts';
export { createPartCache, type PartCache } from './entity/part-cache.ts';
export { readPrincipalsSince, readTenantPrincipals, type TenantPrincipal } from './entity/principals.ts';
export {
  type ArrivedMessage,
  type DeadLetter,
  deadLetterId,
  deadLetterMaxBytes,
  deadLetterMessageId,
  deleteExpiredDeadLetters,
  type Replay,
} from './lane/dead-letter.ts';
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
} from './lane/dead-letter-requests.ts';
export { computeFeedLags, deleteOldFeedMinutes, type FeedSample, recordFeedMinute } from './lane/feed-minute.ts';
export { countImported, type ImportedMessage } from './lane/import-outcomes.ts';
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
} from './lane/lane.ts';
export { recordLaneReaders } from './lane/lane-reader.ts';
export { completeLaneSkip, countSkipped, type LaneSkip, readLaneSkips } from './lane/lane-skip.ts';
export { type LaneStep, spreadStamps, writeLaneStep } from './lane/lane-step.ts';
export { findCommonEnd, findOuterEnds, type LedgerEnds } from './lane/ledger-end.ts';
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
} from './lane/ledger-entries.ts';
export { countPendingDeadLetters, sumDeadLetterCounts } from './lane/pending-dead-letters.ts';
export {
  type BindingCheck,
  readSourceBindings,
  recordBindingChecks,
  type SourceBinding,
} from './lane/source-bindings.ts';
export { createStateProgress, type ProgressDelta, sumProgress, writeProgress } from './lane/source-progress.ts';
export { endHungCopies } from './log/hung-copies.ts';
export { type ImportedLogs, type LogBatchOutcome, type LogMerging, writeLogBatch } from './log/log-batch.ts';
export { type BlockBacklog, type BlockSlice, createBlockBacklog, writeLogBlocks } from './log/log-blocks.ts';
export { createPartitionCache, type PartitionCache } from './log/partitions.ts';
export { alertPartsMax, type MergeEvidence, writeAlertStates } from './record/alert-batch.ts';
export {
  type DirectoryOutcome,
  type DirectoryState,
  readDirectoryVersion,
  readModelTenants,
  readTenantIdentities,
  type TenantIdentity,
  writeDirectoryStates,
} from './record/directory.ts';
export { type FencedTenant, readFencedTenants } from './record/fenced-tenants.ts';
export {
  isLiveRecord,
  type RecordState,
  type RecordTable,
  type StateOutcome,
  writeStates,
} from './record/record-batch.ts';
export type { AuditLogRow } from './row/audit-log-row.ts';
export { copyColumns, type PreparedRows, prepareRows } from './row/log-rows.ts';
export { type LogTally, logTallies } from './row/log-tallies.ts';
export type { SealablePartition } from './seal/seal-blocks.ts';
export {
  completeSeal,
  findSealable,
  listLogTenants,
  readSealLag,
  sealNext,
} from './seal/seal-partition.ts';
