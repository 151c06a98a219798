import { dayMs } from '@tenantscope/contract/durations';
import type { Labels } from './en.ts';
import { type Language, loadedLabels } from './language.tsx';

/** How long ago, in the largest unit that fits. */
export function ago(labels: Labels, time: string, nowMs = Date.now()): string {
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(time)) / 1_000));
  if (seconds < 5) return labels.ago.now;
  if (seconds < 90) return labels.ago.seconds(seconds);
  if (seconds < 5_400) return labels.ago.minutes(Math.round(seconds / 60));
  if (seconds < 129_600) return labels.ago.hours(Math.round(seconds / 3_600));
  return labels.ago.days(Math.round(seconds / 86_400));
}

/** As in the data, in UTC: 2026-11-21 17:31:40Z. */
export const utc = (time: string): string => `${time.slice(0, 19).replace('T', ' ')}Z`;
export const clock = (time: string): string => time.slice(11, 23);

const lengths = { milliseconds: 12, seconds: 8 } as const;

/** A time of today without its date, any other with it: 17:31:40.884Z, 2026-11-21 17:31:40Z. */
export function timeOfDay(time: string, precision: keyof typeof lengths = 'milliseconds', nowMs = Date.now()): string {
  const isToday = time.slice(0, 10) === new Date(nowMs).toISOString().slice(0, 10);
  return isToday ? `${time.slice(11, 11 + lengths[precision])}Z` : utc(time);
}

/** A duration, with one decimal below ten units. */
export function span(language: Language, ms: number): string {
  const tenths = (value: number, unit: string) => {
    const format = new Intl.NumberFormat(language, { maximumFractionDigits: value < 10 ? 1 : 0 });
    return `${format.format(value)}\u00a0${unit}`;
  };
  if (ms >= 172_800_000) return tenths(ms / dayMs, 'd');
  if (ms >= 5_400_000) return tenths(ms / 3_600_000, 'h');
  if (ms >= 90_000) return tenths(ms / 60_000, 'min');
  if (ms < 50) return loadedLabels.get(language)?.feeds.instant(tenths(0.1, 's')) ?? tenths(0.1, 's');
  return tenths(ms / 1_000, 's');
}

export const number = (language: Language, value: number): string => new Intl.NumberFormat(language).format(value);

/** English dates have the day before the month, as everywhere in the console. */
const locale = (language: Language): string => (language === 'en' ? 'en-GB' : language);

const units = ['byte', 'kilobyte', 'megabyte'] as const;

export function size(language: Language, bytes: number): string {
  const power = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  const format = {
    style: 'unit',
    unit: units[power],
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat(language, format).format(bytes / 1_000 ** power);
}

export const day = (language: Language, time: string): string =>
  new Intl.DateTimeFormat(locale(language), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(time));

/** To the minute, with its zone: 21 Nov 2027, 23:59 UTC. */
export const dayAndTime = (language: Language, time: string): string =>
  `${new Intl.DateTimeFormat(locale(language), { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(time))} UTC`;
