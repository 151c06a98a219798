// As ingestion merges them.
export { mergeStoredParts as mergeParts } from '@tenantscope/ingest/entity-changes';
export { createLogMerging } from '@tenantscope/ingest/log-merging';
