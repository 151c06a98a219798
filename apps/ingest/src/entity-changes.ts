import {
  domainPart,
  type EntityPart,
  mergeEntity,
  type RecordOutcome,
  removalOf,
  type StoredPart,
} from '@tenantscope/intake';
import { isEntityLive, type MergeParts, type PoolClient } from '@tenantscope/store';

/** The part of an entity that an outcome says something of; none for what is about other records. */
export function entityChangeOf(outcome: RecordOutcome): EntityPart[] {
  if (outcome.kind === 'part') return [outcome.part];
  return outcome.kind === 'removed' && outcome.table === 'entity' ? [removalOf(outcome)] : [];
}

/** What is kept of parts is what was read from messages, so it comes back as it went. */
export const mergeStored: MergeParts = (kind, parts) => mergeEntity(kind, parts as readonly StoredPart[]);

/**
 * The tombstones of entities that stood live when it was their turn: deleted before them in the batch, or before it, they only say again what
 * was said. Asked before anything of the batch is written.
 */
export async function loneTombstones<Change extends RecordOutcome>(
  client: PoolClient,
  changes: readonly Change[],
): Promise<Change[]> {
  const lone: Change[] = [];
  const told = new Map<string, boolean>();
  for (const change of changes) {
    const [part] = entityChangeOf(change);
    if (part?.part === domainPart) told.set(keyOf(part), !part.isRemoval);
    if (change.kind !== 'tombstone' || change.table !== 'entity') continue;
    if (told.get(keyOf(change)) ?? (await isEntityLive(client, change))) lone.push(change);
  }
  return lone;
}

const keyOf = (one: { tenantId: string; entityKind: string; id: string }): string =>
  `${one.tenantId}/${one.entityKind}/${one.id}`;
