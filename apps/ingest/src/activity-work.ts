import { normaliserVersion } from '@tenantscope/intake';
import {
  type Leaves,
  type Ledger,
  type PreparedRows,
  prepareRows,
  withConnection,
  writeLogBatch,
} from '@tenantscope/store';
import { bisect } from './bisect.ts';
import { type BreakerStart, createBreaker } from './breaker.ts';
import { prepareKnowing } from './know-tenants.ts';
import type { LaneWork, Slice } from './lane-runner.ts';
import { deadLetterOf, settledLettersOf } from './letters.ts';
import type { Observations } from './observations.ts';
import { isRefusedContent, persist } from './persist.ts';
import type { PreparedSlice } from './prepare.ts';
import type { Preparer } from './preparer.ts';
import type { ArrivedRecord } from './reader.ts';
import type { KnownTenants } from './tenants.ts';

export interface ActivityParts {
  ledger: Ledger;
  leaves: Leaves;
  preparer: Preparer;
  tenants: KnownTenants;
  observed: Observations;
}

/** Another writer stands in the way once or twice; more often is a mistake of ours. */
const mostRepeats = 50;

/** The work of a lane of raw activity: provider records become log rows or dead letters. */
export function activityWork(parts: ActivityParts, start: BreakerStart): LaneWork<PreparedSlice> {
  const breaker = createBreaker(start);
  return {
    judge: (prepared) => breaker.judge(prepared.outcomes, prepared.rejected),
    prepare: (records) => prepareKnowing(parts, parts.preparer.prepare, records),
    write: (slice, wanted) => writeSlice(parts, slice, wanted),
  };
}

async function writeSlice(
  parts: ActivityParts,
  slice: Slice<PreparedSlice>,
  wanted: () => boolean,
): Promise<'written' | 'fenced' | 'abandoned'> {
  const { ledger, leaves, observed } = parts;
  const { prepared, records, lane } = slice;
  const batch = {
    lane,
    fromOffset: slice.fromOffset,
    toOffset: slice.toOffset,
    rows: prepared.rows,
    alerts: prepared.alerts,
    deadLetters: prepared.rejected.map((rejected) =>
      deadLetterOf(lane, records[rejected.record] as ArrivedRecord, rejected),
    ),
    settledLetters: settledLettersOf(records, (index) => prepared.complete[index] === 1),
  };
  const beganAt = performance.now();
  try {
    const outcome = await persist(
      async () => {
        for (let attempt = 1; ; attempt++) {
          const tried = await withConnection(ledger.pool, (client) => writeLogBatch(client, ledger, leaves, batch));
          if (tried.kind !== 'again' || !wanted()) return tried;
          if (attempt === mostRepeats)
            throw new Error(`a batch of ${lane.topic}/${lane.partition} met other writers ${attempt} times in a row`);
        }
      },
      { wanted, paused: observed.waiting },
    );
    if (outcome === null || outcome.kind === 'again') return 'abandoned';
    if (outcome.kind === 'fenced') return 'fenced';
    observed.batch(lane, {
      records: records.length,
      rows: outcome.inserted,
      duplicates: outcome.duplicates,
      alerts: outcome.alerts,
      rejected: prepared.rejected,
      durationMs: performance.now() - beganAt,
    });
    return 'written';
  } catch (error) {
    // Where there is no row, the server refuses a letter: nothing is left that could be kept of it.
    if (!isRefusedContent(error) || prepared.rows.ordinals.length === 0) throw error;
    return bisect(slice, {
      prepare: (records) => prepareKnowing(parts, parts.preparer.prepare, records),
      write: (half) => writeSlice(parts, half, wanted),
      refuse: (one) => refused(one, error),
    });
  }
}

/** The whole message is set aside, rows and all: what the server refuses of it cannot be told apart. */
function refused(slice: Slice<PreparedSlice>, error: unknown): PreparedSlice {
  const code = (error as { code?: string }).code ?? 'unknown';
  const rejection = {
    record: 0,
    element: 0,
    tenantId: tenantOfFirst(slice.prepared.rows),
    reason: 'PROJECTION_REJECTED',
    stage: 'project',
    detail: `the database refused the projected row: SQLSTATE ${code}`,
    format: slice.prepared.rejected[0]?.format ?? null,
  };
  return {
    rows: prepareRows([], normaliserVersion),
    alerts: [],
    rejected: [rejection],
    outcomes: Uint8Array.of(0),
    complete: Uint8Array.of(0),
  };
}

/** Lines begin with their tenant; one message has one. */
const tenantOfFirst = ({ bytes }: PreparedRows): string | null =>
  bytes.length === 0 ? null : Buffer.from(bytes.buffer, bytes.byteOffset, 36).toString('latin1');
