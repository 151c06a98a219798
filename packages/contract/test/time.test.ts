import { formatTime, isTimeZone, parseTime } from '@tenantscope/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';

test.each([
  ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'],
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02T03:04:05', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02T03:04', '2026-01-02T03:04:00.000Z'],
  ['2026-01-02 03:04:05', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02', '2026-01-02T00:00:00.000Z'],
  ['2026-01-02t03:04:05z', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02T03:04:05.6Z', '2026-01-02T03:04:05.600Z'],
  ['2026-01-02T03:04:05.678999999Z', '2026-01-02T03:04:05.678Z'],
  ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
  ['2026-01-02T03:04:05 02:00', '2026-01-02T01:04:05.000Z'],
  ['2026-01-02T03:04:05-0530', '2026-01-02T08:34:05.000Z'],
  ['2026-01-02T03:04:05+02', '2026-01-02T01:04:05.000Z'],
  ['2026-01-02T03:04:05-00:00', '2026-01-02T03:04:05.000Z'],
  [' 2026-01-02 ', '2026-01-02T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['0001-01-01T00:00:00+14:00', '0001-01-01T00:00:00.000Z'],
  ['0000-01-01', '0001-01-01T00:00:00.000Z'],
  ['0000-01-01T00:00:00+01:00', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999Z'],
  ['1767323045', '2026-01-02T03:04:05.000Z'],
  ['1767323045.6789', '2026-01-02T03:04:05.678Z'],
  ['1767323045678', '2026-01-02T03:04:05.678Z'],
  ['0', '1970-01-01T00:00:00.000Z'],
])('%s is read as %s', (text, instant) => {
  const ms = parseTime(text);
  expect(ms).not.toBeNull();
  expect(formatTime(ms as number)).toBe(instant);
});

test.each([
  '',
  'rubbish',
  'now',
  '2026',
  '20260102',
  '2026-1-2',
  '2026-02-29',
  '2026-13-01',
  '2026-01-02T24:00:00Z',
  '2026-01-02T03:60:00Z',
  '2026-01-02T03:04:05.1234567890Z',
  '2026-01-02T03:04:05+25:00',
  '2026-01-02Z',
  '9999-12-31T23:59:59-01:00',
  '-1',
  '1e12',
  '17673230456',
  '٢٠٢٦-٠١-٠٢',
])('"%s" is not a time', (text) => {
  expect(parseTime(text)).toBeNull();
});

const instants = fc.date({
  min: new Date('0001-01-02T00:00:00Z'),
  max: new Date('9999-12-30T23:59:59Z'),
  noInvalidDate: true,
});

test('a formatted time is parsed to the same instant in any zone', () => {
  fc.assert(
    fc.property(instants, fc.integer({ min: -14 * 60, max: 14 * 60 }), (instant, offsetMinutes) => {
      const ms = instant.getTime();
      const shown = formatTime(ms);
      expect(shown).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(parseTime(shown)).toBe(ms);
      const two = (value: number) => String(Math.abs(value)).padStart(2, '0');
      const offset = `${offsetMinutes < 0 ? '-' : '+'}${two(Math.trunc(offsetMinutes / 60))}:${two(offsetMinutes % 60)}`;
      const local = formatTime(ms + offsetMinutes * 60_000).slice(0, -1);
      expect(parseTime(local + offset)).toBe(ms);
      expect(parseTime(local + offset.replace('+', ' '))).toBe(ms);
    }),
  );
});

test('formatted times sort in the order of their instants', () => {
  fc.assert(
    fc.property(instants, instants, (one, other) => {
      expect(formatTime(one.getTime()) < formatTime(other.getTime())).toBe(one < other);
    }),
  );
});

test('a time zone is a name of the time zone database, not an offset', () => {
  expect(['Europe/Warsaw', 'UTC', 'Asia/Kathmandu', 'Pacific/Kiritimati'].every(isTimeZone)).toBe(true);
  expect(['Mars/Olympus', '', 'Warsaw', '+01:00', 'Europe/Warsaw; drop', ' UTC'].some(isTimeZone)).toBe(false);
});
