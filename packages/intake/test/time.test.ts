import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { readOccurredAt, readTime } from '../src/field/time.ts';
import { now } from './message.ts';

const zoneOfTheProcess = process.env.TZ;
afterEach(() => {
  if (zoneOfTheProcess === undefined) delete process.env.TZ;
  else process.env.TZ = zoneOfTheProcess;
});

describe.each(['UTC', 'America/New_York', 'Asia/Kolkata'])('with the process in %s', (zone) => {
  test.each([
    ['2021-05-18T21:13:33', '2021-05-18T21:13:33.000Z'],
    ['2022-12-12 19:31:41', '2022-12-12T19:31:41.000Z'],
    ['2020-02-14T22:18:51.843Z', '2020-02-14T22:18:51.843Z'],
    ['2022-01-24T04:59:49.2279838+00:00', '2022-01-24T04:59:49.227Z'],
    ['2022-01-24T04:59:49.8839373Z', '2022-01-24T04:59:49.883Z'],
    ['2022-01-24T04:59:49.9999999Z', '2022-01-24T04:59:49.999Z'],
    ['2022-12-11 02:57:48.693000000', '2022-12-11T02:57:48.693Z'],
    ['2022-12-11 02:57:48.6', '2022-12-11T02:57:48.600Z'],
    ['2022-12-11 02:57:48.693 UTC', '2022-12-11T02:57:48.693Z'],
    ['2022-12-11 02:57:48 UTC', '2022-12-11T02:57:48.000Z'],
    ['11/16/2022 9:35:22 AM', '2022-11-16T09:35:22.000Z'],
    ['5/18/2021 9:13:33 PM', '2021-05-18T21:13:33.000Z'],
    ['4/19/2021, 6:38:00.000 AM', '2021-04-19T06:38:00.000Z'],
    ['12/31/2021 12:00:01 AM', '2021-12-31T00:00:01.000Z'],
    ['12/31/2021 12:00:01 PM', '2021-12-31T12:00:01.000Z'],
    ['1/2/2021 23:00:01', '2021-01-02T23:00:01.000Z'],
    ['1/16/2026 8:15:30 AM +00:00', '2026-01-16T08:15:30.000Z'],
    ['1/16/2026 11:15:30 PM -05:00', '2026-01-17T04:15:30.000Z'],
    ['1/16/2026 23:15:30 +02:00', '2026-01-16T21:15:30.000Z'],
    ['2021-05-18T21:13:33-05:00', '2021-05-19T02:13:33.000Z'],
    ['2021-05-18T21:13:33 +0530', '2021-05-18T15:43:33.000Z'],
    ['2021-05-18t21:13:33z', '2021-05-18T21:13:33.000Z'],
    // An hour that clocks in New York skip.
    ['2021-03-14T02:30:00', '2021-03-14T02:30:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2000-01-01T00:00:00', '2000-01-01T00:00:00.000Z'],
    ['2100-12-31T23:59:59', '2100-12-31T23:59:59.000Z'],
  ])('%s is read as %s', (text, expected) => {
    process.env.TZ = zone;
    const time = readTime(text);
    expect(time === null ? null : new Date(time).toISOString()).toBe(expected);
  });
});

test('the test changes the time zone of the process', () => {
  process.env.TZ = 'America/New_York';
  expect(new Date(2021, 0, 1).getTimezoneOffset()).toBe(300);
});

test.each([
  '',
  'yesterday',
  '2021-05-18',
  '2021-13-01T00:00:00',
  '2021-00-01T00:00:00',
  '2021-02-30T00:00:00',
  '2021-04-31T00:00:00Z',
  '2021-05-18T24:00:00',
  '2021-05-18T23:60:00',
  '2021-05-18T23:00:61',
  '2021-05-18T21:13',
  '2021-05-18 21:13:33 CET',
  '2021-05-18 21:13:33 UTC+1',
  '1999-12-31T23:59:59',
  '2101-01-01T00:00:00',
  '2000-01-01T00:00:00+01:00',
  '0001-01-01T00:00:00',
  '5/18/2021 13:13:33 PM',
  '5/18/2021 0:13:33 AM',
  '13/18/2021 1:13:33 AM',
  '1621372413',
  '2021-05-18T21:13:33+99:00',
])('%s is not a time', (text) => {
  expect(readTime(text)).toBeNull();
});

test('every instant of the years 2000 to 2100 is read with every offset', () => {
  const instants = fc.integer({ min: Date.UTC(2000, 0, 2), max: Date.UTC(2100, 11, 30) });
  const offsets = fc.integer({ min: -14 * 60 + 1, max: 14 * 60 - 1 });
  fc.assert(
    fc.property(instants, offsets, (instant, offset) => {
      const local = new Date(instant + offset * 60_000).toISOString().slice(0, -1);
      const hours = String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0');
      const minutes = String(Math.abs(offset) % 60).padStart(2, '0');
      expect(readTime(`${local}${offset < 0 ? '-' : '+'}${hours}:${minutes}`)).toBe(instant);
    }),
  );
});

test('the rejection of a record without a valid time names the member', () => {
  const reasonOf = (value: string | number | null | undefined) => {
    const occurrence = readOccurredAt(value, 'CreationTime', now);
    return typeof occurrence === 'number'
      ? occurrence
      : [occurrence.rejected, occurrence.detail.includes('CreationTime')];
  };
  expect(reasonOf(undefined)).toEqual(['MISSING_TIMESTAMP', true]);
  expect(reasonOf(null)).toEqual(['MISSING_TIMESTAMP', true]);
  expect(reasonOf('  ')).toEqual(['MISSING_TIMESTAMP', true]);
  expect(reasonOf('soon')).toEqual(['INVALID_TIMESTAMP', true]);
  expect(reasonOf(1_700_000_000)).toEqual(['INVALID_TIMESTAMP', true]);
  expect(reasonOf('2026-11-23T12:00:00')).toBe(now + 48 * 3_600_000);
  expect(reasonOf('2026-11-23T12:00:00.001')).toEqual(['FUTURE_TIMESTAMP', true]);
});
