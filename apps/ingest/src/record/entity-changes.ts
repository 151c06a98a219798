import {
  createRemoval,
  domainPart,
  type EntityPart,
  mergeEntity,
  type RecordOutcome,
  type StoredPart,
} from '@tenantscope/intake';
import type { PoolClient } from '@tenantscope/store/connection';
import { isEntityLive, type MergeParts } from '@tenantscope/store/ingest';

/** The entity part that an outcome changes; empty for other records. */
export function readEntityParts(outcome: RecordOutcome): EntityPart[] {
  if (outcome.kind === 'part') return [outcome.part];
  return outcome.kind === 'removed' && outcome.table === 'entity' ? [createRemoval(outcome)] : [];
}

/** Stored parts are the ones that were read from messages, unchanged. */
export const mergeStoredParts: MergeParts = (kind, parts) => mergeEntity(kind, parts as readonly StoredPart[]);

/**
 * Tombstones of entities that are live at that place in the batch. The others follow a deletion, in the batch or before it, and change nothing.
 * Runs before the batch is written.
 */
export async function findTombstonesOfLiveEntities<Change extends RecordOutcome>(
  client: PoolClient,
  changes: readonly Change[],
): Promise<Change[]> {
  const found: Change[] = [];
  const liveByKey = new Map<string, boolean>();
  for (const change of changes) {
    const [part] = readEntityParts(change);
    if (part?.part === domainPart) liveByKey.set(entityKey(part), !part.isRemoval);
    if (change.kind !== 'tombstone' || change.table !== 'entity') continue;
    if (liveByKey.get(entityKey(change)) ?? (await isEntityLive(client, change))) found.push(change);
  }
  return found;
}

const entityKey = (one: { tenantId: string; entityKind: string; id: string }): string =>
  `${one.tenantId}/${one.entityKind}/${one.id}`;
