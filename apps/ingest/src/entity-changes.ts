import { type EntityPart, mergeEntity, type RecordOutcome, removalOf, type StoredPart } from '@tenantscope/intake';
import type { MergeParts } from '@tenantscope/store';

/** The part of an entity that an outcome says something of; none for what is about other records. */
export function entityChangeOf(outcome: RecordOutcome): EntityPart[] {
  if (outcome.kind === 'part') return [outcome.part];
  return outcome.kind === 'removed' && outcome.table === 'entity' ? [removalOf(outcome)] : [];
}

/** What is kept of parts is what was read from messages, so it comes back as it went. */
export const mergeStored: MergeParts = (kind, parts) => mergeEntity(kind, parts as readonly StoredPart[]);
