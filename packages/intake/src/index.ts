export { type AlertFormatName, alertFormats } from './alert/alert-format.ts';
export { writeKey } from './domain/record-key.ts';
export { emailId } from './entity/email-id.ts';
export { type MergedEntity, mergeEntity } from './entity/merge.ts';
export { domainPart, removalOf, type StoredPart } from './entity/part.ts';
export { type EntityFormatName, entityFormats } from './entity/source-format.ts';
export type { Message } from './envelope.ts';
export { maskSecrets } from './field/secret.ts';
export { maskSecretText } from './field/secret-text.ts';
export { type FormatName, formats, normaliserVersion } from './format.ts';
export type { LogFact, LogFactKind } from './log-fact/log-fact.ts';
export { DISCOVERED_AT_HOLE, type FilterColumns, type LogRow } from './log-row.ts';
export { type PublishedSchema, publishedSchemas } from './published-schema.ts';
export { typeOfFormat } from './raw-type.ts';
export { type Outcome, readActivity } from './read-activity.ts';
export { type RecordTopic, readRecords } from './read-records.ts';
export type { AppLookup, KnownApp, ReadingContext, TenantFacts } from './reading-context.ts';
export {
  type ColumnValue,
  type EntityPart,
  type RecordOutcome,
  type RecordState,
  type RecordTableName,
  type RejectedRecord,
  type RowName,
  recordTables,
} from './record-outcome.ts';
export { type DeadLetterReason, deadLetterReasons, type Stage } from './rejection.ts';
export { severityRulesVersion } from './severity/rules.ts';
export { type OrganizationRecord, readTenantRecord, type TenantOutcome, type TenantRecord } from './tenant-record.ts';
