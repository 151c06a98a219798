import { mergeAlertEvidence, type RecordOutcome } from '@tenantscope/intake';
import type { PoolClient } from '@tenantscope/store/connection';
import {
  isLiveRecord,
  type PartCache,
  type ProgressDelta,
  recordTables,
  type StateOutcome,
  securityAlertTable,
  writeAlertStates,
  writeEntityChanges,
  writeStates,
} from '@tenantscope/store/ingest';
import type { RejectedElement } from '../activity/prepare-slice.ts';
import { findTombstonesOfLiveEntities, mergeStoredParts, readEntityParts } from './entity-changes.ts';
import { collectSourceProgress } from './source-progress.ts';

/** A change that a message of a slice makes. */
export type Change = Exclude<RecordOutcome, { kind: 'rejected' }> & { record: number };
type Tombstone = Extract<Change, { kind: 'tombstone' }>;

export interface AppliedChanges {
  outcomes: StateOutcome[];
  /** The changes that the outcomes are about. */
  changed: Change[];
  rejected: RejectedElement[];
  progress: ProgressDelta[];
}

export interface ApplyOptions {
  deadLetterConflicts: boolean;
  parts: PartCache;
  /** The stamp of a change by its index. */
  stampAt(index: number): string;
}

/** Writes the changes of a slice in the lane's transaction. */
export async function applyChanges(
  client: PoolClient,
  changes: readonly Change[],
  { deadLetterConflicts, parts: cache, stampAt }: ApplyOptions,
): Promise<AppliedChanges> {
  const applied: AppliedChanges = { outcomes: [], changed: [], rejected: [], progress: [] };
  const entityTombstones = new Set(await findTombstonesOfLiveEntities(client, changes));
  const recordTombstones = await findTombstonesOfLiveRecords(client, changes);
  const collect = (outcomes: readonly StateOutcome[], written: readonly { index: number; version: number }[]) => {
    applied.outcomes.push(...outcomes);
    for (const [position, outcome] of outcomes.entries()) {
      const { index, version } = written[position] as { index: number; version: number };
      const change = changes[index] as Change;
      applied.changed.push(change);
      applied.progress.push(...collectSourceProgress(change, outcome, stampAt(index)));
      if (deadLetterConflicts && outcome === 'conflict')
        applied.rejected.push(
          rejectChange(change, 'VERSION_CONFLICT', `version ${version} already exists with different content`),
        );
    }
  };
  const byTable = Map.groupBy(
    changes.flatMap((change, index) =>
      change.kind === 'state' ? { table: recordTables[change.table], state: change.state, index } : [],
    ),
    ({ table }) => table,
  );
  for (const [table, written] of byTable) {
    const states = written.map(({ state }) => state);
    const stampOf = (position: number) => stampAt(written[position]?.index ?? 0);
    const outcomes =
      table === securityAlertTable
        ? await writeAlertStates(client, states, stampOf, mergeAlertEvidence)
        : await writeStates(client, table, states, stampOf);
    collect(
      outcomes,
      written.map(({ index, state }) => ({ index, version: state.version })),
    );
  }
  const parts = changes.flatMap((change, index) => readEntityParts(change).map((part) => ({ part, index })));
  const outcomes = await writeEntityChanges(
    client,
    parts.map(({ part }) => part),
    (position) => stampAt(parts[position]?.index ?? 0),
    mergeStoredParts,
    cache,
  );
  collect(
    outcomes,
    parts.map(({ index, part }) => ({ index, version: part.version })),
  );
  for (const [index, change] of changes.entries()) {
    if (change.kind !== 'tombstone') continue;
    const wasLive =
      change.table === 'entity'
        ? entityTombstones.has(change)
        : (recordTombstones.has(change) || changes.slice(0, index).some((before) => isStateOf(before, change))) &&
          (await isLiveRecord(client, recordTables[change.table], change));
    if (wasLive) applied.rejected.push(rejectChange(change, 'SCHEMA_VIOLATION', tombstoneWithoutDeletion));
  }
  return applied;
}

const tombstoneWithoutDeletion = 'a tombstone alone does not delete a live record: send its deletion first';

/** Tombstones of records that were live before this batch: a state that only follows its tombstone is no reason to reject it. */
async function findTombstonesOfLiveRecords(client: PoolClient, changes: readonly Change[]): Promise<Set<Change>> {
  const found = new Set<Change>();
  for (const change of changes) {
    if (change.kind !== 'tombstone' || change.table === 'entity') continue;
    if (await isLiveRecord(client, recordTables[change.table], change)) found.add(change);
  }
  return found;
}

const isStateOf = (change: Change, tombstone: Tombstone): boolean =>
  change.kind === 'state' &&
  change.table === tombstone.table &&
  change.state.tenantId === tombstone.tenantId &&
  change.state.id === tombstone.id;

const rejectChange = (change: Change, reason: string, detail: string): RejectedElement => ({
  record: change.record,
  element: change.element,
  tenantId: readTenantId(change),
  reason,
  stage: 'project',
  detail,
  format: null,
});

export function readTenantId(change: Change): string {
  if (change.kind === 'state') return change.state.tenantId;
  return change.kind === 'part' ? change.part.tenantId : change.tenantId;
}
