import { expect, test } from 'vitest';
import { addOneMonth, reportingDeadlines } from '../src/report/reporting-deadlines.ts';

const addTo = (from: string, timeZone: string) => new Date(addOneMonth(Date.parse(from), timeZone)).toISOString();

test('a month ends on the same day of the next one, or on its last day', () => {
  expect(addTo('2026-05-15T12:00:00.000Z', 'UTC')).toBe('2026-06-15T12:00:00.000Z');
  expect(addTo('2026-01-31T12:00:00.000Z', 'UTC')).toBe('2026-02-28T12:00:00.000Z');
  expect(addTo('2026-12-31T12:00:00.000Z', 'UTC')).toBe('2027-01-31T12:00:00.000Z');
});

test('the day of a month is that of the time zone, whatever clock changes lie in between', () => {
  // In Warsaw it is the 31st already: the month ends on 28 February, there.
  expect(addTo('2026-01-30T23:30:00.000Z', 'UTC')).toBe('2026-02-28T23:30:00.000Z');
  expect(addTo('2026-01-30T23:30:00.000Z', 'Europe/Warsaw')).toBe('2026-02-27T23:30:00.000Z');
  expect(addTo('2026-03-10T10:15:30.123Z', 'Europe/Warsaw')).toBe('2026-04-10T09:15:30.123Z');
  expect(addTo('2026-10-10T09:15:30.123Z', 'Europe/Warsaw')).toBe('2026-11-10T10:15:30.123Z');
  expect(addTo('2026-01-31T02:00:00.000Z', 'America/New_York')).toBe('2026-03-01T02:00:00.000Z');
});

test('a time zone that the runtime does not support counts as UTC', () => {
  expect(addTo('2026-01-30T23:30:00.000Z', 'Nowhere/Else')).toBe('2026-02-28T23:30:00.000Z');
});

test('deadlines in hours do not depend on the time zone, and final reports do', () => {
  const awareMs = Date.parse('2026-01-27T23:30:00.000Z');
  const dependent = reportingDeadlines.filter(({ dueMs }) => dueMs(awareMs, 'UTC') !== dueMs(awareMs, 'Europe/Warsaw'));
  expect(dependent.map(({ framework, step: [en] }) => `${framework}: ${en}`)).toEqual([
    'nis2: Final report, one month after the notification',
    'ksc: Final report, one month after the notification',
  ]);
});
