import { expect, test } from 'vitest';
import type { RejectedElement } from '../src/activity/prepare-slice.ts';
import { createBreaker, tripAfterFailures } from '../src/lane/breaker.ts';

/** A slice by its records: a tenant's name is a failure of that tenant, null a failure without a tenant, true a row. */
type Outcome = string | null | true;

const judge = (breaker: ReturnType<typeof createBreaker>, slice: readonly Outcome[]): string | null =>
  breaker.evaluate(
    Uint8Array.from(slice, (outcome) => (outcome === true ? 1 : 0)),
    slice
      .filter((outcome) => outcome !== true)
      .map(
        (tenantId, record): RejectedElement => ({
          record,
          element: 0,
          tenantId,
          reason: 'MISSING_ACTION',
          stage: 'normalise',
          detail: '',
          format: 'okta.system-log',
        }),
      ),
  );

const failures = (count: number, ...tenants: (string | null)[]): Outcome[] =>
  Array.from({ length: count }, (_, index) => tenants[index % tenants.length] ?? null);

test('the breaker trips at the thousandth consecutive failure of two tenants, across slices, and names them and the format', () => {
  const breaker = createBreaker('armed');
  expect(judge(breaker, failures(tripAfterFailures - 1, 'one', 'other'))).toBeNull();
  const reason = judge(breaker, ['one']);
  for (const named of ['1000', 'okta.system-log', 'one', 'other']) expect(reason).toContain(named);
});

test('failures without a tenant trip the breaker, failures of one tenant never do', () => {
  expect(judge(createBreaker('armed'), failures(tripAfterFailures, null))).not.toBeNull();
  expect(judge(createBreaker('armed'), failures(10 * tripAfterFailures, 'one'))).toBeNull();
});

test('an accepted breaker is armed again by the first row after the slice that had tripped it', () => {
  const breaker = createBreaker('accepted');
  expect(judge(breaker, failures(3 * tripAfterFailures, 'one', 'other'))).toBeNull();
  expect(judge(breaker, [true, ...failures(tripAfterFailures, 'one', 'other')])).not.toBeNull();
});

test('an accepted breaker accepts rows and failures of the slice that had tripped it, in any order, and failures that follow', () => {
  const many = failures(tripAfterFailures, 'one', 'other');
  const breaker = createBreaker('accepted');
  expect(judge(breaker, [true, true])).toBeNull();
  expect(judge(breaker, [true, ...many, true, ...many])).toBeNull();
  expect(judge(breaker, [...many, true])).toBeNull();
  expect(judge(breaker, many)).not.toBeNull();
});

test('a probing breaker trips at a slice of failures and passes one with a row', () => {
  expect(judge(createBreaker('probing'), ['one'])).not.toBeNull();
  expect(judge(createBreaker('probing'), [true, 'one'])).toBeNull();
  expect(judge(createBreaker('probing'), [])).toBeNull();
});

test.each([1, 7, 333, 999, 1_000, 1_001])(
  'the same records in slices of %i trip the breaker at the same record',
  (sliceLength) => {
    const quiet: Outcome[] = [
      ...failures(999, 'one', null),
      true,
      ...failures(999, 'one', 'other'),
      true,
      ...failures(1_500, 'one'),
    ];
    const cases: [records: Outcome[], trips: boolean][] = [
      [quiet, false],
      [[...quiet, 'other'], true],
      [[...quiet, true, ...failures(999, null)], false],
      [[true, ...failures(1_000, null)], true],
    ];
    for (const [records, trips] of cases) {
      const breaker = createBreaker('armed');
      const reasons: (string | null)[] = [];
      for (let from = 0; from < records.length; from += sliceLength)
        reasons.push(judge(breaker, records.slice(from, from + sliceLength)));
      expect(reasons.findIndex((reason) => reason !== null)).toBe(trips ? reasons.length - 1 : -1);
    }
  },
);
