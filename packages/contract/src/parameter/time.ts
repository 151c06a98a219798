const isoForm =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:([Zz])|([+\- ])(\d{2}):?(\d{2})?)?)?$/;
const epochForm = /^(0|\d{9,10}|\d{12,13})(?:\.(\d{1,9}))?$/;

/** The earliest time of the service: PostgreSQL has no year zero. */
export const earliestTimeMs: number = Date.parse('0001-01-01T00:00:00.000Z');
const latestMs = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Reads an instant as tolerantly as pollers write it: ISO 8601 with `Z`, an offset or no zone (= UTC), 0–9 fraction digits (cut to
 * milliseconds), a date alone (= midnight UTC), a space where a `+` was not encoded, epoch seconds or milliseconds. Times before the year 1 are its
 * beginning: clients send the least time that they have, in their zone.
 * Epoch milliseconds, or null for anything else, including days that do not exist.
 */
export function parseTime(text: string): number | null {
  const trimmed = text.trim();
  return parseIso(trimmed) ?? parseEpoch(trimmed);
}

/** Formats an instant for responses: 24 characters, three fraction digits and `Z`. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}

function parseIso(text: string): number | null {
  const found = isoForm.exec(text);
  if (!found) return null;
  const [
    ,
    year,
    month,
    day,
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '',
    ,
    sign,
    offsetHour,
    offsetMinute = '00',
  ] = found;
  const ms = fraction.padEnd(3, '0').slice(0, 3);
  const written = `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`;
  const local = Date.parse(written);
  // Date.parse rolls 31 February over and takes 24:00: only text that formats back to itself is a time.
  if (Number.isNaN(local) || new Date(local).toISOString() !== written) return null;
  if (offsetHour === undefined) return inRange(local);
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return null;
  const offsetMs = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000;
  return inRange(sign === '-' ? local + offsetMs : local - offsetMs);
}

/** 9–10 digits are seconds, 12–13 milliseconds (both from 1973 on); shorter numbers are more likely a year or a slip than a time. */
function parseEpoch(text: string): number | null {
  const found = epochForm.exec(text);
  if (!found) return null;
  const [, whole = '', fraction] = found;
  if (whole.length > 10) return inRange(Number(whole));
  return inRange(Number(whole) * 1000 + Number((fraction ?? '').padEnd(3, '0').slice(0, 3)));
}

/** What lies after the four-digit years cannot be formatted in 24 characters. */
function inRange(ms: number): number | null {
  return ms <= latestMs ? Math.max(ms, earliestTimeMs) : null;
}
