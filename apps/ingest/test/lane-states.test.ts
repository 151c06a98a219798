import { acceptedByOperator, type LanePosition } from '@tenantscope/store/ingest';
import { expect, test } from 'vitest';
import { initialLaneState, laneStates } from '../src/lane/lane-states.ts';

const position = (state: LanePosition['state'], reason: string | null = null): LanePosition => ({
  clusterId: 'cluster',
  topicId: 'topic',
  partition: 0,
  topic: 'name',
  nextOffset: 0n,
  state,
  reason,
});

test('an assigned lane continues in its stored state', () => {
  expect(initialLaneState(position('running'), false)).toBe('running');
  expect(initialLaneState(position('running', acceptedByOperator), false)).toBe('accepted');
  expect(initialLaneState(position('stopped', 'gap'), false)).toBe('stopped');
  expect(initialLaneState(position('tripped', 'failures'), false)).toBe('tripped');
});

test('a probe reads a tripped lane, unless an operator has resumed it meanwhile', () => {
  expect(initialLaneState(position('tripped', 'failures'), true)).toBe('probing');
  expect(initialLaneState(position('running', acceptedByOperator), true)).toBe('accepted');
});

test('a written slice ends a probe and an acceptance and changes no other state', () => {
  const next = Object.entries(laneStates).map(([state, rules]) => [state, rules.next.progress]);
  expect(Object.fromEntries(next)).toEqual({
    running: undefined,
    accepted: 'running',
    probing: 'running',
    stopped: undefined,
    tripped: undefined,
  });
});

test('a gap stops a lane, a tripped breaker stalls it until a probe a minute later', () => {
  for (const { isStalled, next } of Object.values(laneStates)) {
    if (isStalled) continue;
    expect(next).toMatchObject({ gap: 'stopped', trip: 'tripped' });
  }
  expect(laneStates.stopped).toMatchObject({ isStalled: true, probeAfterMs: Number.POSITIVE_INFINITY });
  expect(laneStates.tripped).toMatchObject({ isStalled: true, probeAfterMs: 60_000 });
});
