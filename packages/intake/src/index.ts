export { type ActivityFormatName, activityFormats, normaliserVersion } from './activity/activity-formats.ts';
export { type FilterColumns, formatLogRow, type LogRow } from './activity/log-row.ts';
export { type Outcome, readActivity } from './activity/read-activity.ts';
export { splitActivity } from './activity/split-activity.ts';
export { type AlertFormatName, alertFormats } from './alert/alert-formats.ts';
export { mergeAlertEvidence } from './alert/merge-alert.ts';
export { formatRecordKey } from './domain/record-key.ts';
export { type AgentSighting, auditParts, createSightingParts, readSightedId } from './entity/audit-part.ts';
export { computeEmailId } from './entity/email-id.ts';
export { type MergedEntity, mergeEntity } from './entity/merge.ts';
export { type EntityFormatName, entityFormats } from './entity/source-formats.ts';
export { createRemoval, domainPart, type StoredPart } from './entity/stored-part.ts';
export { makeVisible } from './field/text.ts';
export { sliceElements, sliceMember } from './json/slice.ts';
export { ExactNumber, type Json, type JsonObject } from './json/value.ts';
export type { LogFact, LogFactKind } from './log-fact/log-fact.ts';
export {
  type BoundEnvelope,
  type BoundValues,
  bindableFormats,
  createBoundEnvelope,
  hasMessageTime,
} from './message/bound-envelope.ts';
export { addressOriginal, findOriginalBinding, type ReplayBinding } from './message/bound-original.ts';
export type { Message } from './message/envelope.ts';
export { toEventType } from './message/event-type.ts';
export type {
  AppLookup,
  CachedApp,
  PrincipalKind,
  PrincipalLookup,
  PrincipalQuery,
  ReadingContext,
  TenantFacts,
} from './message/reading-context.ts';
export type {
  ColumnValue,
  EntityPart,
  RecordOutcome,
  RecordState,
  RejectedRecord,
  RowReference,
} from './message/record-outcome.ts';
export { findProviderTenant } from './message/record-tenant.ts';
export { type DeadLetterReason, deadLetterReasons, type Stage, wholeMessage } from './message/rejection.ts';
export type { SourceFrame, SourceText } from './message/source-text.ts';
export { previewRecord, type RecordPreview } from './preview-record.ts';
export { type PublishedFormat, publishedFormats } from './published-format.ts';
export { buildPublishedSchemas, type PublishedSchema } from './published-schema.ts';
export { findRejection } from './read-message.ts';
export { readRecords } from './read-records.ts';
export { recognizeFormat } from './source/recognize-format.ts';
export { type OrganizationRecord, readTenantRecord, type TenantOutcome, type TenantRecord } from './tenant-record.ts';
