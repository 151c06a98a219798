import { type Json, toText } from '../json/value.ts';
import { type Rejection, reject } from '../message/rejection.ts';

/**
 * Milliseconds since the epoch of any time format that providers use, or null. The time zone of the process has no effect:
 * `Date` reads a text without a zone as local time, and nearly all times of the Management Activity API have no zone.
 *
 * Read: `2021-05-18T21:13:33`, with a space for the `T`, with `Z`, `UTC` or an offset, with any number of fraction digits
 * (truncated to milliseconds), and `5/18/2021 9:13:33 PM` with or without a comma, a fraction, AM/PM and an offset. No zone
 * means UTC.
 */
export function readTime(text: string): number | null {
  const iso = isoForm.exec(text);
  if (iso !== null) {
    const [, year, month, day, hour, minute, second, fraction, offset] = iso;
    const local = toInstant(year, month, day, Number(hour), minute, second, fraction);
    return local === null ? null : withinYears(local - offsetMs(offset));
  }
  const american = americanForm.exec(text);
  if (american === null) return null;
  const [, month, day, year, hour, minute, second, fraction, half, offset] = american;
  const hours = half === undefined ? Number(hour) : hourOfHalfDay(Number(hour), half);
  const instant = hours === null ? null : toInstant(year, month, day, hours, minute, second, fraction);
  return instant === null ? null : withinYears(instant - offsetMs(offset));
}

/** Epoch ms of a member, null where it is missing or invalid; see `readTime`. */
export function toEpochMs(value: Json | undefined): number | null {
  return typeof value === 'string' ? readTime(value.trim()) : null;
}

/** Microseconds since the epoch of a text that `readTime` read as `ms`: further digits of the fraction are dropped. */
export function toMicroseconds(text: string, ms: number): number {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  return ms * 1000 + Number(fraction.slice(3, 6).padEnd(3, '0'));
}

/**
 * Reads when a record's action happened.
 *
 * @param member names the record's member in a rejection
 */
export function readOccurredAt(value: Json | undefined, member: string, nowMs: number): number | Rejection {
  const text = toText(value);
  if (text === null) return reject('MISSING_TIMESTAMP', `member ${member} is missing or empty`);
  const instant = typeof value === 'string' ? readTime(text) : null;
  if (instant === null) return reject('INVALID_TIMESTAMP', `member ${member} is not a time of the years 2000 to 2100`);
  if (instant > nowMs + maxAheadMs) {
    return reject('FUTURE_TIMESTAMP', `member ${member} is more than 48 hours ahead of the clock`);
  }
  return instant;
}

function toInstant(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  hour: number,
  minute: string | undefined,
  second: string | undefined,
  fraction: string | undefined,
): number | null {
  const minutes = Number(minute);
  const seconds = Number(second);
  // A leap second, 60, is read as the first second of the next minute.
  if (hour > 23 || minutes > 59 || seconds > 60) return null;
  const milliseconds = fraction === undefined ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'));
  const monthIndex = Number(month) - 1;
  const midnight = Date.UTC(Number(year), monthIndex, Number(day));
  // `Date.UTC` carries a 31 April over into May, and a month 13 into the next year.
  if (monthIndex < 0 || monthIndex > 11 || new Date(midnight).getUTCDate() !== Number(day)) return null;
  return midnight + ((hour * 60 + minutes) * 60 + seconds) * 1000 + milliseconds;
}

function offsetMs(offset: string | undefined): number {
  if (offset === undefined || offset === 'Z' || offset === 'z' || offset === 'UTC') return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2));
  return (offset[0] === '-' ? -minutes : minutes) * 60_000;
}

function hourOfHalfDay(hour: number, half: string): number | null {
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (half === 'P' || half === 'p' ? 12 : 0);
}

function withinYears(instant: number): number | null {
  return instant >= earliestMs && instant < endMs ? instant : null;
}

const isoForm = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))? ?(Z|z|UTC|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/;
const americanForm =
  /^(\d\d?)\/(\d\d?)\/(\d{4}),? (\d\d?):(\d\d):(\d\d)(?:\.(\d+))?(?: ?([AaPp])[Mm])?(?: ?(Z|z|[+-](?:0\d|1[0-4]):?[0-5]\d))?$/;
const earliestMs = Date.UTC(2000, 0, 1);
const endMs = Date.UTC(2101, 0, 1);
const maxAheadMs = 48 * 3_600_000;
