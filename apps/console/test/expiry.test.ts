import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  allowedLifetimes,
  dateIn,
  daysLeft,
  expiryTime,
  lastDay,
  latestExpiry,
  lifetimes,
} from '../web/screens/keys/expiry.ts';

const dayMs = 86_400_000;
const now = Date.parse('2026-11-22T01:13:28Z');

test('a key expires at the last second of its last day', () => {
  expect(expiryTime('in30', '', null, now)).toBe('2026-12-22T23:59:59.000Z');
  expect(expiryTime('in365', '', null, now)).toBe('2027-11-22T23:59:59.000Z');
  expect(expiryTime('onDate', '2027-02-28', null, now)).toBe('2027-02-28T23:59:59.000Z');
  expect(expiryTime('never', '2027-02-28', null, now)).toBeNull();
});

test('a key that expires tomorrow does not expire today, also within 24 hours', () => {
  expect(daysLeft('2026-11-22T23:59:59.000Z', now)).toBe(0);
  expect(daysLeft('2026-11-23T00:00:00.000Z', now)).toBe(1);
  expect(daysLeft('2026-11-23T23:59:59.000Z', now)).toBe(1);
  expect(daysLeft('2026-11-21T23:59:59.000Z', now)).toBe(0);
});

test('a maximum lifetime excludes longer lifetimes', () => {
  expect(allowedLifetimes(null, now)).toEqual(lifetimes);
  expect(allowedLifetimes(latestExpiry(now, 365), now)).toEqual(['in30', 'in90', 'in365', 'onDate']);
  expect(allowedLifetimes(latestExpiry(now, 90), now)).toEqual(['in30', 'in90', 'onDate']);
  expect(allowedLifetimes(latestExpiry(now, 1), now)).toEqual(['onDate']);
  // A key older than a limit that was set later cannot be extended.
  expect(allowedLifetimes(latestExpiry(now - 100 * dayMs, 90), now)).toEqual([]);
});

test('every allowed lifetime ends within the limit, and the last day of the limit is allowed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: dayMs - 2_000 }), fc.integer({ min: 1, max: 3_650 }), (ofDayMs, maxDays) => {
      const at = Date.parse('2026-11-22') + ofDayMs;
      const last = latestExpiry(at, maxDays);
      for (const lifetime of allowedLifetimes(last, at)) {
        const end = Date.parse(expiryTime(lifetime, lastDay(last ?? 0), last, at) ?? '');
        expect(end).toBeLessThanOrEqual(last ?? 0);
        expect(end).toBeGreaterThan(at);
      }
      expect(lastDay(last ?? 0) >= dateIn(0, at)).toBe(true);
    }),
  );
});
