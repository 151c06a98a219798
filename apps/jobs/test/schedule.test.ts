import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeSpreadOffset, listDuePeriods, type Schedule } from '../src/schedule.ts';
import { findPreviousWeek, findWeek } from '../src/week.ts';

const hourMs = 3_600_000;
const schedule: Schedule = { dueAfterMs: 3 * hourMs, spreadMs: 30 * 60_000, lookBack: 4 };
const tenant = { id: '6f1c1a2e-0000-4000-8000-000000000001', timeZone: 'Europe/Warsaw', connectedAtMs: 0 };
const at = (text: string) => Date.parse(text);
const tenantId = (number: number) => {
  const hex = createHash('sha256').update(String(number)).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
};

describe('a week', () => {
  test('has its ISO 8601 name, also around the turn of the year', () => {
    expect(findWeek(at('2026-11-21T12:00:00Z'), 'UTC').period).toBe('2026-W47');
    expect(findWeek(at('2027-01-03T23:59:59.999Z'), 'UTC').period).toBe('2026-W53');
    expect(findWeek(at('2027-01-04T00:00:00Z'), 'UTC').period).toBe('2027-W01');
    expect(findWeek(at('2024-12-30T00:00:00Z'), 'UTC').period).toBe('2025-W01');
  });

  test('begins on Monday in the time zone of the tenant', () => {
    expect(findWeek(at('2026-11-22T23:30:00Z'), 'UTC').period).toBe('2026-W47');
    expect(findWeek(at('2026-11-22T23:30:00Z'), 'Europe/Warsaw').period).toBe('2026-W48');
    expect(findWeek(at('2026-11-22T10:00:00Z'), 'Pacific/Kiritimati').period).toBe('2026-W48');
    expect(findWeek(at('2026-11-23T11:00:00Z'), 'Pacific/Pago_Pago').period).toBe('2026-W48');
    expect(findWeek(at('2026-11-23T10:59:59Z'), 'Pacific/Pago_Pago').period).toBe('2026-W47');
  });

  test('has an hour less in spring and an hour more in autumn', () => {
    const hours = (instant: string, zone: string) => {
      const { startMs, endMs } = findWeek(at(instant), zone);
      return (endMs - startMs) / hourMs;
    };
    expect(hours('2026-03-26T12:00:00Z', 'Europe/Warsaw')).toBe(167);
    expect(hours('2026-10-22T12:00:00Z', 'Europe/Warsaw')).toBe(169);
    expect(hours('2026-10-29T12:00:00Z', 'Europe/Warsaw')).toBe(168);
    // The island that changes by half an hour, and a country that left out a whole Friday.
    expect(hours('2026-10-01T12:00:00Z', 'Australia/Lord_Howe')).toBe(167.5);
    expect(hours('2011-12-28T12:00:00Z', 'Pacific/Apia')).toBe(144);
  });

  test('follows the one before it without a gap, in every zone and at every instant', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
        fc.integer({ min: at('1990-01-01T00:00:00Z'), max: at('2060-01-01T00:00:00Z') }),
        (zone, instant) => {
          const week = findWeek(instant, zone);
          expect(week.startMs).toBeLessThanOrEqual(instant);
          expect(week.endMs).toBeGreaterThan(instant);
          const before = findPreviousWeek(week, zone);
          expect(before.endMs).toBe(week.startMs);
          expect(before.period < week.period).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('the due periods of a tenant', () => {
  const due = (now: string, other: Partial<typeof tenant> = {}) =>
    listDuePeriods({ ...tenant, ...other }, at(now), schedule).map(({ period }) => period);

  test('are the last four weeks and, once it is due, the current one', () => {
    expect(due('2026-11-21T12:00:00Z')).toEqual(['2026-W43', '2026-W44', '2026-W45', '2026-W46', '2026-W47']);
    expect(due('2026-11-23T01:00:00Z')).toEqual(['2026-W44', '2026-W45', '2026-W46', '2026-W47']);
    expect(due('2026-11-23T02:30:00Z')).toEqual(['2026-W44', '2026-W45', '2026-W46', '2026-W47', '2026-W48']);
  });

  test('exclude weeks that ended before its connection and include the week of its connection', () => {
    expect(due('2026-11-21T12:00:00Z', { connectedAtMs: at('2026-11-08T22:59:59.999Z') })).toEqual([
      '2026-W45',
      '2026-W46',
      '2026-W47',
    ]);
    expect(due('2026-11-21T12:00:00Z', { connectedAtMs: at('2026-11-08T23:00:00Z') })).toEqual([
      '2026-W46',
      '2026-W47',
    ]);
    expect(due('2026-11-21T12:00:00Z', { connectedAtMs: at('2026-11-21T11:59:00Z') })).toEqual(['2026-W47']);
  });

  test('contain each week once, due at the same local time on Monday, across both clock changes', {
    tags: 'exhaustive',
  }, () => {
    for (const [from, to] of [
      ['2026-03-16T00:00:00Z', '2026-04-13T00:00:00Z'],
      ['2026-10-12T00:00:00Z', '2026-11-09T00:00:00Z'],
    ] as const) {
      const first = new Map<string, number>();
      for (let now = at(from); now < at(to); now += 60_000 * 7)
        for (const { period, dueAtMs } of listDuePeriods(tenant, now, { ...schedule, lookBack: 0 }))
          first.set(period, first.get(period) ?? dueAtMs);
      expect(first.size).toBe(4);
      const times = [...first.values()].map((ms) =>
        new Date(ms).toLocaleTimeString('en-GB', { timeZone: 'Europe/Warsaw', weekday: 'short' }),
      );
      expect(new Set(times).size, times.join()).toBe(1);
      expect(times[0]).toMatch(/^Mon 03:/);
    }
  });

  test('follow UTC when its time zone is unknown', () => {
    expect(due('2026-11-21T12:00:00Z', { timeZone: 'Mars/Olympus' })).toHaveLength(5);
  });
});

test('500 tenants of one time zone are due spread over half an hour, each always at the same offset', () => {
  const offsets = Array.from({ length: 500 }, (_, number) => computeSpreadOffset(tenantId(number), schedule.spreadMs));
  const perMinute = Map.groupBy(offsets, (offset) => Math.floor(offset / 60_000));
  expect(perMinute.size).toBe(30);
  expect(Math.max(...[...perMinute.values()].map((of) => of.length))).toBeLessThan(40);
  expect(computeSpreadOffset(tenantId(1), schedule.spreadMs)).toBe(computeSpreadOffset(tenantId(1), schedule.spreadMs));
  expect(new Set(offsets).size).toBeGreaterThan(490);
});
