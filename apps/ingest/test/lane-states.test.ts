import { acceptedByOperator, type LanePosition } from '@tenantscope/store/ingest';
import { expect, test } from 'vitest';
import { initialLaneState, laneStates } from '../src/lane/lane-states.ts';

const position = (state: LanePosition['state'], reason: string | null = null): LanePosition => ({
  clusterId: 'cluster',
  topicId: 'topic',
  partition: 0,
  cluster: 'main',
  topic: 'name',
  source: 'raw.activity.v1',
  nextOffset: 0n,
  state,
  reason,
});

const start = { isProbe: false, isSkip: false };

test('an assigned lane continues in its stored state', () => {
  expect(initialLaneState(position('running'), start)).toBe('running');
  expect(initialLaneState(position('running', acceptedByOperator), start)).toBe('accepted');
  expect(initialLaneState(position('stopped', 'gap'), start)).toBe('stopped');
  expect(initialLaneState(position('tripped', 'failures'), start)).toBe('tripped');
});

test('a probe reads a tripped lane, unless an operator has resumed it meanwhile', () => {
  expect(initialLaneState(position('tripped', 'failures'), { ...start, isProbe: true })).toBe('probing');
  expect(initialLaneState(position('running', acceptedByOperator), { ...start, isProbe: true })).toBe('accepted');
});

test('a lane skips whatever stopped it, and waits for the operator again if the skip is refused', () => {
  for (const state of ['stopped', 'tripped'] as const)
    expect(initialLaneState(position(state, 'reason'), { ...start, isSkip: true })).toBe('skipping');
  expect(laneStates.skipping.next).toEqual({ progress: 'running', refusal: 'stopped' });
});

test('progress ends a probe, an acceptance and a skip and changes no other state', () => {
  const next = Object.entries(laneStates).map(([state, rules]) => [state, rules.next.progress]);
  expect(Object.fromEntries(next)).toEqual({
    running: undefined,
    accepted: 'running',
    probing: 'running',
    skipping: 'running',
    stopped: undefined,
    tripped: undefined,
  });
});

test('a gap stops a lane, a tripped breaker stalls it until a probe a minute later', () => {
  for (const state of ['running', 'accepted', 'probing'] as const)
    expect(laneStates[state].next).toMatchObject({ gap: 'stopped', undecodable: 'stopped', trip: 'tripped' });
  expect(laneStates.stopped).toMatchObject({ isStalled: true, probeAfterMs: Number.POSITIVE_INFINITY });
  expect(laneStates.tripped).toMatchObject({ isStalled: true, probeAfterMs: 60_000 });
});
