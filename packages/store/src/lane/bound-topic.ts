import { isLaneHalted, type LaneState } from './lane-status.ts';

/** A source binding as ingestion left it. */
export interface CheckedBinding {
  readonly cluster: string;
  readonly topic: string;
  readonly removedAt: string | null;
  /** Why ingestion does not read the topic; null while it does, or has not looked yet. */
  readonly problem: string | null;
  /** When ingestion last looked. */
  readonly checkedAt: string | null;
}

export interface BoundLane {
  readonly cluster: string;
  readonly topic: string;
  readonly partition: number;
  readonly state: LaneState;
  /** Why it does not move; null while it does. */
  readonly reason: string | null;
  readonly unread: number | null;
  readonly writtenAt: string | null;
}

/** The state of a bound topic. */
export interface BoundTopicState {
  readonly state: 'removed' | 'waiting' | 'not read' | 'read';
  /** Why it is not read, or does not move; null while it is. */
  readonly reason: string | null;
  readonly lanes: number;
  /** Records in Kafka that are not read. */
  readonly unread: number;
  /** When one of its records was last written. */
  readonly writtenAt: string | null;
}

/** Ingestion looks every five seconds and records it at least every thirty. */
const staleAfterMs = 60_000;

/** The state of a bound topic, for the command line and the console alike. */
export function describeBoundTopic(binding: CheckedBinding, all: readonly BoundLane[], nowMs: number): BoundTopicState {
  const own = all.filter(({ cluster, topic }) => cluster === binding.cluster && topic === binding.topic);
  const times = own.flatMap(({ writtenAt }) => writtenAt ?? []).toSorted();
  const progress = {
    lanes: own.length,
    unread: own.reduce((sum, { unread }) => sum + (unread ?? 0), 0),
    writtenAt: times.at(-1) ?? null,
  };
  return { ...progress, ...assess(binding, own, nowMs) };
}

function assess(
  { removedAt, checkedAt, problem }: CheckedBinding,
  lanes: readonly BoundLane[],
  nowMs: number,
): Pick<BoundTopicState, 'state' | 'reason'> {
  if (removedAt !== null) return { state: 'removed', reason: null };
  if (checkedAt === null) return { state: 'waiting', reason: 'no ingest process has checked the topic yet' };
  if (nowMs - Date.parse(checkedAt) > staleAfterMs)
    return { state: 'not read', reason: `no ingest process has looked since ${checkedAt}` };
  if (problem !== null) return { state: 'not read', reason: problem };
  const halted = lanes.find(({ state }) => isLaneHalted(state));
  const reason = halted === undefined ? null : `${halted.topic}/${halted.partition} ${halted.state}: ${halted.reason}`;
  return { state: lanes.length === 0 ? 'waiting' : 'read', reason };
}
