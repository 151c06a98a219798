import fc from 'fast-check';
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

test('how the records are cut into slices decides nothing', () => {
  const run = fc.record({
    length: fc.integer({ min: 1, max: 700 }),
    of: fc.constantFrom<Outcome>('one', 'other', null, true),
  });
  fc.assert(
    fc.property(fc.array(run, { maxLength: 8 }), fc.integer({ min: 1, max: 900 }), (runs, cut) => {
      const records = runs.flatMap(({ length, of }) => Array.from({ length }, () => of));
      const whole = judge(createBreaker('armed'), records) !== null;
      const breaker = createBreaker('armed');
      let tripped = false;
      for (let from = 0; from < records.length && !tripped; from += cut) {
        tripped = judge(breaker, records.slice(from, from + cut)) !== null;
      }
      expect(tripped).toBe(whole);
    }),
  );
});
