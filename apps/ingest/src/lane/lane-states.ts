import { acceptedByOperator, type LanePosition } from '@tenantscope/store/ingest';
import type { BreakerStart } from './breaker.ts';

/** What an assigned lane does in this process. `accepted` is stored as `running` until it ends, `probing` and `skipping` as what they were before. */
export type AssignedLaneState = 'running' | 'accepted' | 'probing' | 'skipping' | 'stopped' | 'tripped';

/**
 * `progress`: a slice was written, or an accepted gap was skipped. `gap`: records are missing. `undecodable`: a batch cannot be decoded.
 * `trip`: the breaker rejected a slice. `refusal`: an operator's skip cannot be executed.
 */
export type LaneEvent = 'progress' | 'gap' | 'undecodable' | 'trip' | 'refusal';

interface StateRules {
  /** A stalled lane fetches nothing and makes the process unready. */
  readonly isStalled: boolean;
  readonly breaker: BreakerStart;
  /** After so long in this state the lane is assigned again as `probing`. */
  readonly probeAfterMs: number;
  /** The state after an event, which is also stored with the lane. Events that are not listed change nothing. */
  readonly next: Partial<Record<LaneEvent, LanePosition['state']>>;
}

const probeIntervalMs = 60_000;
const never = Number.POSITIVE_INFINITY;

/**
 * - `running`: reads and writes.
 * - `accepted`: an operator resumed it. Gaps and failures ahead are accepted until the lane has moved; a batch that cannot be decoded is not.
 * - `probing`: a tripped lane is tried again. It trips at the first slice of which no record can be read.
 * - `skipping`: an operator skips a range, whose records become dead letters. `progress` is its end.
 * - `stopped`: waits for an operator.
 * - `tripped`: waits for an operator or for the next probe.
 *
 * A new assignment, a write by another worker and a recreated topic do not change the state: they replace the lane (`lane-owner.ts`).
 */
export const laneStates: Readonly<Record<AssignedLaneState, StateRules>> = {
  running: {
    isStalled: false,
    breaker: 'armed',
    probeAfterMs: never,
    next: { gap: 'stopped', undecodable: 'stopped', trip: 'tripped' },
  },
  accepted: {
    isStalled: false,
    breaker: 'accepted',
    probeAfterMs: never,
    next: { progress: 'running', gap: 'stopped', undecodable: 'stopped', trip: 'tripped' },
  },
  probing: {
    isStalled: false,
    breaker: 'probing',
    probeAfterMs: never,
    next: { progress: 'running', gap: 'stopped', undecodable: 'stopped', trip: 'tripped' },
  },
  skipping: {
    isStalled: false,
    breaker: 'armed',
    probeAfterMs: never,
    next: { progress: 'running', refusal: 'stopped' },
  },
  // A slice that was queued before the gap or the batch may still trip the breaker, and a gap may be found while a slice trips it.
  stopped: { isStalled: true, breaker: 'armed', probeAfterMs: never, next: { trip: 'tripped' } },
  tripped: {
    isStalled: true,
    breaker: 'armed',
    probeAfterMs: probeIntervalMs,
    next: { gap: 'stopped', undecodable: 'stopped' },
  },
};

/** The state in which a lane is assigned. */
export function initialLaneState(
  { state, reason }: LanePosition,
  { isProbe, isSkip }: { isProbe: boolean; isSkip: boolean },
): AssignedLaneState {
  if (isSkip) return 'skipping';
  if (state === 'running') return reason === acceptedByOperator ? 'accepted' : 'running';
  return isProbe ? 'probing' : state;
}
