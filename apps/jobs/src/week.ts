import { dayMs } from '@tenantscope/contract';

/** An ISO week in a time zone: from the first instant of its Monday until that of the next, whatever clock changes lie in between. */
export interface Week {
  /** Such as 2026-W47; the year is that of the week's Thursday. */
  readonly period: string;
  readonly startMs: number;
  /** Exclusive. */
  readonly endMs: number;
}

const minuteMs = 60_000;
/** No zone is further from UTC than 14 hours; a day more for the zones that moved across the date line. */
const furthestMinutes = 38 * 60;

/** The week of an instant. */
export function findWeek(atMs: number, timeZone: string): Week {
  const monday = mondayOf(localDay(atMs, timeZone));
  // Where a zone repeats or skips a midnight, the calendar's day and the search may differ by that day.
  for (const day of [monday - 7, monday, monday + 7]) {
    const week = weekOf(day, timeZone);
    if (week.startMs <= atMs && atMs < week.endMs) return week;
  }
  throw new RangeError(`no week of ${timeZone} contains ${atMs}`);
}

export function findPreviousWeek(week: Week, timeZone: string): Week {
  return findWeek(week.startMs - 1, timeZone);
}

/** Days are counted from 1 January 1970, a Thursday. */
const mondayOf = (day: number): number => day - ((day + 3) % 7);

function weekOf(monday: number, timeZone: string): Week {
  const thursday = new Date((monday + 3) * dayMs);
  const year = thursday.getUTCFullYear();
  const number = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / dayMs / 7) + 1;
  return {
    period: `${year}-W${String(number).padStart(2, '0')}`,
    startMs: firstInstantOf(monday, timeZone),
    endMs: firstInstantOf(monday + 7, timeZone),
  };
}

const firstInstants = new Map<string, number>();

/** The first minute that the zone's calendar calls this day. Searched, since a midnight may be skipped or come twice. */
function firstInstantOf(day: number, timeZone: string): number {
  const key = `${timeZone} ${day}`;
  const cached = firstInstants.get(key);
  if (cached !== undefined) return cached;
  let before = -furthestMinutes;
  let from = furthestMinutes;
  while (from - before > 1) {
    const middle = (before + from) >> 1;
    if (localDay(day * dayMs + middle * minuteMs, timeZone) >= day) from = middle;
    else before = middle;
  }
  const found = day * dayMs + from * minuteMs;
  if (firstInstants.size > 10_000) firstInstants.clear();
  firstInstants.set(key, found);
  return found;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const cached = formats.get(timeZone);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  formats.set(timeZone, format);
  return format;
}

/** The calendar day of the zone at an instant, in days since 1 January 1970. */
function localDay(atMs: number, timeZone: string): number {
  const [year = 0, month = 0, day = 0] = formatOf(timeZone).format(atMs).split('-').map(Number);
  return Date.UTC(year, month - 1, day) / dayMs;
}
