import { describe, expect, it } from 'vitest';
import { assessCoverage } from '../src/evidence/source-coverage.ts';
import { dayMs, hourMs, nowMs } from './facts.ts';

type State = Parameters<typeof assessCoverage>[1];
type SomeState = Partial<NonNullable<State>>;
const assess = (state: SomeState | undefined) =>
  assessCoverage(
    'users',
    state && {
      newestMs: null,
      lastCompleteImportMs: null,
      licensed: null,
      enabled: null,
      connectedAtMs: null,
      gaps: [],
      ...state,
    },
    nowMs,
  );
const gap = { fromMs: nowMs - 2 * dayMs, toMs: nowMs - dayMs, reason: 'throttled' };

describe('the coverage of a source', () => {
  it.each<[string, number | null, string, SomeState | undefined]>([
    ['a complete import an hour ago', 1, 'complete', { lastCompleteImportMs: nowMs - hourMs }],
    ['a complete import 72 hours ago', 72, 'complete', { lastCompleteImportMs: nowMs - 72 * hourMs }],
    ['a complete import more than 72 hours ago', 72, 'stale', { lastCompleteImportMs: nowMs - 72 * hourMs - 1 }],
    [
      'an old import, whatever rows arrived',
      240,
      'stale',
      { lastCompleteImportMs: nowMs - 10 * dayMs, newestMs: nowMs },
    ],
    ['rows alone', 0, 'unproven', { newestMs: nowMs }],
    ['rows of four days ago alone', 96, 'stale', { newestMs: nowMs - 4 * dayMs }],
    ['a complete import and a reported gap', 1, 'partial', { lastCompleteImportMs: nowMs - hourMs, gaps: [gap] }],
    ['an old import and a gap', 240, 'stale', { lastCompleteImportMs: nowMs - 10 * dayMs, gaps: [gap] }],
    ['a disabled collector', 1, 'disabled', { lastCompleteImportMs: nowMs - hourMs, enabled: false }],
    ['no license', 1, 'notLicensed', { lastCompleteImportMs: nowMs - hourMs, licensed: false, enabled: false }],
    ['a collector without an import', null, 'missing', { enabled: true }],
    ['nothing', null, 'missing', undefined],
    ['an import ahead of the clock', 0, 'complete', { lastCompleteImportMs: nowMs + hourMs }],
  ])('with %s has the age of %j hours and is %s', (_, ageHours, coverage, state) => {
    expect(assess(state)).toMatchObject({ ageHours, coverage });
  });

  it('is complete or partial with an age only', () => {
    for (const lastCompleteImportMs of [null, nowMs - hourMs, nowMs - 30 * dayMs])
      for (const newestMs of [null, nowMs, nowMs - 30 * dayMs])
        for (const gaps of [[], [gap]]) {
          const { coverage, ageHours, lastCompleteImportAt } = assess({ lastCompleteImportMs, newestMs, gaps });
          if (coverage !== 'complete' && coverage !== 'partial') continue;
          expect(ageHours).not.toBeNull();
          expect(ageHours).toBeLessThanOrEqual(72);
          if (coverage === 'complete') expect(lastCompleteImportAt).not.toBeNull();
        }
  });

  it('names its gaps with their times and reasons', () => {
    expect(assess({ lastCompleteImportMs: nowMs, gaps: [gap, { ...gap, reason: null }] }).gaps).toEqual([
      { from: '2026-11-19T12:00:00.000Z', to: '2026-11-20T12:00:00.000Z', reason: 'throttled' },
      { from: '2026-11-19T12:00:00.000Z', to: '2026-11-20T12:00:00.000Z', reason: null },
    ]);
  });
});
