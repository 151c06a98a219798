import { expect, test } from 'vitest';
import { createBreaker, tripAfterFailures } from '../src/breaker.ts';
import type { Rejected } from '../src/prepare.ts';

/** A slice by its records: a tenant's name is a failure of that tenant, null one of nobody's, true a row. */
type Outcome = string | null | true;

const judge = (breaker: ReturnType<typeof createBreaker>, slice: readonly Outcome[]): string | null =>
  breaker.judge(
    Uint8Array.from(slice, (outcome) => (outcome === true ? 1 : 0)),
    slice
      .filter((outcome) => outcome !== true)
      .map(
        (tenantId, record): Rejected => ({
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

test('it trips at the thousandth failure in a row of two tenants, over slices, and names them and the format', () => {
  const breaker = createBreaker('armed');
  expect(judge(breaker, failures(tripAfterFailures - 1, 'one', 'other'))).toBeNull();
  const reason = judge(breaker, ['one']);
  for (const named of ['1000', 'okta.system-log', 'one', 'other']) expect(reason).toContain(named);
});

test('failures of nobody trip it as well, failures of one tenant never do', () => {
  expect(judge(createBreaker('armed'), failures(tripAfterFailures, null))).not.toBeNull();
  expect(judge(createBreaker('armed'), failures(10 * tripAfterFailures, 'one'))).toBeNull();
});

test('a breaker that the operator has accepted is armed again by the first row', () => {
  const breaker = createBreaker('accepted');
  expect(judge(breaker, failures(3 * tripAfterFailures, 'one', 'other'))).toBeNull();
  expect(judge(breaker, [true, ...failures(tripAfterFailures, 'one', 'other')])).not.toBeNull();
});

test('a probing breaker lets pass a slice that brings a row and nothing before one', () => {
  expect(judge(createBreaker('probing'), ['one'])).not.toBeNull();
  expect(judge(createBreaker('probing'), [true, 'one'])).toBeNull();
  expect(judge(createBreaker('probing'), [])).toBeNull();
});

test.each([1, 7, 333, 999, 1_000, 1_001])(
  'cut into slices of %i, the same records trip it at the same place',
  (cut) => {
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
      for (let from = 0; from < records.length; from += cut)
        reasons.push(judge(breaker, records.slice(from, from + cut)));
      expect(reasons.findIndex((reason) => reason !== null)).toBe(trips ? reasons.length - 1 : -1);
    }
  },
);
