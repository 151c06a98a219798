import { type RecordOutcome, type RecordTopic, readRecords } from '@tenantscope/intake';
import {
  isLiveRecord,
  keepProgress,
  type Ledger,
  type PoolClient,
  type Progress,
  type StateOutcome,
  spreadStamps,
  summed,
  writeEntityChanges,
  writeStates,
} from '@tenantscope/store';
import { bisect } from './bisect.ts';
import { type BreakerStart, createBreaker } from './breaker.ts';
import { entityChangeOf, loneTombstones, mergeStored } from './entity-changes.ts';
import { prepareKnowing } from './know-tenants.ts';
import type { LaneWork, Slice } from './lane-runner.ts';
import { deadLetterOf, settledLettersOf } from './letters.ts';
import type { Observations } from './observations.ts';
import { messageOf } from './packed-records.ts';
import { isRefusedContent } from './persist.ts';
import type { Rejected } from './prepare.ts';
import { progressOf } from './progress.ts';
import type { ArrivedRecord } from './reader.ts';
import { recordTableOf } from './record-topics.ts';
import { replayedElementOf } from './replay.ts';
import type { KnownTenants } from './tenants.ts';
import { writeStep } from './write-step.ts';

export interface RecordParts {
  topic: RecordTopic;
  /** Whether the loser of an equal version is set aside, as on topics of our own, or merely stale, as with providers' records. */
  conflictsAreLetters: boolean;
  ledger: Ledger;
  tenants: KnownTenants;
  observed: Observations;
  maxRecordBytes: number;
}

type Change = Exclude<RecordOutcome, { kind: 'rejected' }> & { record: number };

export interface PreparedChanges {
  changes: Change[];
  rejected: Rejected[];
  /** Every outcome in the order of the log: 1 is a change, 0 was rejected. */
  outcomes: Uint8Array;
}

/** The work of a lane of mutable records: states upward by version, deletions, and what could be neither. */
export function recordWork(parts: RecordParts, start: BreakerStart): LaneWork<PreparedChanges> {
  const breaker = createBreaker(start);
  const prepare = (records: readonly ArrivedRecord[]) =>
    prepareKnowing(parts, async (some) => readChanges(parts, some), records);
  const write = async (
    slice: Slice<PreparedChanges>,
    wanted: () => boolean,
  ): Promise<'written' | 'fenced' | 'abandoned'> => {
    try {
      return await writeChanges(parts, slice, wanted);
    } catch (error) {
      if (!isRefusedContent(error) || slice.prepared.changes.length === 0) throw error;
      return bisect(slice, { prepare, write: (half) => write(half, wanted), refuse: (one) => refused(one, error) });
    }
  };
  return { prepare, write, judge: ({ outcomes, rejected }) => breaker.judge(outcomes, rejected) };
}

function readChanges(
  { topic, tenants, maxRecordBytes }: RecordParts,
  records: readonly ArrivedRecord[],
): PreparedChanges {
  const known = tenants.facts();
  const prepared: PreparedChanges = { changes: [], rejected: [], outcomes: new Uint8Array(0) };
  const outcomes: number[] = [];
  records.forEach((message, record) => {
    const context = {
      tenantOf: (tenantId: string) => known.get(tenantId),
      nowMs: Date.now(),
      maxValueBytes: maxRecordBytes,
      onlyElement: replayedElementOf(message),
      producedAtMs: message.producedAtMs,
    };
    for (const outcome of readRecords(topic, messageOf(message), context)) {
      outcomes.push(outcome.kind === 'rejected' ? 0 : 1);
      if (outcome.kind === 'rejected') prepared.rejected.push({ ...outcome, record });
      else prepared.changes.push({ ...outcome, record });
    }
  });
  return { ...prepared, outcomes: Uint8Array.from(outcomes) };
}

async function writeChanges(parts: RecordParts, slice: Slice<PreparedChanges>, wanted: () => boolean) {
  const { lane, fromOffset, toOffset, records, prepared } = slice;
  const { changes } = prepared;
  const beganAt = performance.now();
  let tally: StateOutcome[] = [];
  let rejected: Rejected[] = [];
  const settledLetters = settledLettersOf(
    records,
    (index) => !prepared.rejected.some(({ record }) => record === index),
  );
  const outcome = await writeStep(
    { ...parts, wanted },
    { lane, fromOffset, toOffset, settledLetters },
    async (client, advance) => {
      const stampMs = spreadStamps(changes.length, advance);
      const applied = await applyChanges(client, parts, changes, (rank) => new Date(stampMs(rank)).toISOString());
      await keepProgress(client, lane, summed(applied.progress));
      tally = applied.tally;
      rejected = [...prepared.rejected, ...applied.rejected];
      return rejected.map((one) => deadLetterOf(lane, records[one.record] as ArrivedRecord, one));
    },
  );
  if (outcome !== 'written') return outcome;
  parts.observed.batch(lane, {
    records: records.length,
    rows: tally.filter((one) => one === 'applied').length,
    duplicates: tally.filter((one) => one === 'same' || one === 'stale').length,
    rejected,
    durationMs: performance.now() - beganAt,
  });
  return outcome;
}

async function applyChanges(
  client: PoolClient,
  parts: RecordParts,
  changes: readonly Change[],
  stampOf: (rank: number) => string,
): Promise<{ tally: StateOutcome[]; rejected: Rejected[]; progress: Progress[] }> {
  const rejected: Rejected[] = [];
  const tally: StateOutcome[] = [];
  const progress: Progress[] = [];
  const lone = new Set(await loneTombstones(client, changes));
  const stood = await standingTombstoned(client, changes);
  const settle = (outcomes: readonly StateOutcome[], written: readonly { rank: number; version: number }[]) => {
    tally.push(...outcomes);
    outcomes.forEach((outcome, index) => {
      const rank = written[index]?.rank ?? 0;
      progress.push(...progressOf(changes[rank] as Change, outcome, stampOf(rank)));
    });
    if (!parts.conflictsAreLetters) return;
    outcomes.forEach((outcome, index) => {
      const { rank, version } = written[index] as { rank: number; version: number };
      const change = changes[rank] as Change;
      if (outcome === 'conflict')
        rejected.push(
          letterOf(change, tenantOf(change), 'VERSION_CONFLICT', `version ${version} stands with other content`),
        );
    });
  };
  const perTable = Map.groupBy(
    changes.flatMap((change, rank) =>
      change.kind === 'state' ? { table: recordTableOf(change.table), state: change.state, rank } : [],
    ),
    ({ table }) => table,
  );
  for (const [table, written] of perTable) {
    const outcomes = await writeStates(
      client,
      table,
      written.map(({ state }) => state),
      (index) => stampOf(written[index]?.rank ?? 0),
    );
    settle(
      outcomes,
      written.map(({ rank, state }) => ({ rank, version: state.version })),
    );
  }
  const said = changes.flatMap((change, rank) => entityChangeOf(change).map((part) => ({ part, rank })));
  const outcomes = await writeEntityChanges(
    client,
    said.map(({ part }) => part),
    (index) => stampOf(said[index]?.rank ?? 0),
    mergeStored,
  );
  settle(
    outcomes,
    said.map(({ rank, part }) => ({ rank, version: part.version })),
  );
  for (const [rank, change] of changes.entries()) {
    if (change.kind !== 'tombstone') continue;
    const isLive =
      change.table === 'entity'
        ? lone.has(change)
        : (stood.has(change) || changes.slice(0, rank).some((before) => tellsOf(before, change))) &&
          (await isLiveRecord(client, recordTableOf(change.table), change));
    if (isLive) rejected.push(letterOf(change, change.tenantId, 'SCHEMA_VIOLATION', aloneTombstone));
  }
  return { tally, rejected, progress };
}

type Tombstone = Extract<Change, { kind: 'tombstone' }>;

/** The tombstones of records that stood before this batch: what only comes after a tombstone is no reason to refuse it. */
async function standingTombstoned(client: PoolClient, changes: readonly Change[]): Promise<Set<Change>> {
  const standing = new Set<Change>();
  for (const change of changes) {
    if (change.kind !== 'tombstone' || change.table === 'entity') continue;
    if (await isLiveRecord(client, recordTableOf(change.table), change)) standing.add(change);
  }
  return standing;
}

const tellsOf = (change: Change, name: Tombstone): boolean =>
  change.kind === 'state' &&
  change.table === name.table &&
  change.state.tenantId === name.tenantId &&
  change.state.id === name.id;

const aloneTombstone = 'a tombstone alone does not delete a live record: send its deletion first';

const letterOf = ({ record, element }: Change, tenantId: string, reason: string, detail: string): Rejected => ({
  record,
  element,
  tenantId,
  reason,
  stage: 'project',
  detail,
  format: null,
});

function refused(slice: Slice<PreparedChanges>, error: unknown): PreparedChanges {
  const [change] = slice.prepared.changes;
  const code = (error as { code?: string }).code ?? 'unknown';
  const tenantId = change === undefined ? null : tenantOf(change);
  const rejected = [
    {
      record: 0,
      element: change?.element ?? 0,
      tenantId,
      reason: 'PROJECTION_REJECTED',
      stage: 'project',
      detail: `the database refused the projected record: SQLSTATE ${code}`,
      format: null,
    },
  ];
  return { changes: [], rejected, outcomes: Uint8Array.of(0) };
}

function tenantOf(change: Change): string {
  if (change.kind === 'state') return change.state.tenantId;
  return change.kind === 'part' ? change.part.tenantId : change.tenantId;
}
