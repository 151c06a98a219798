import { dayMs } from '@tenantscope/contract/durations';

export const lifetimes = ['in30', 'in90', 'in365', 'onDate', 'never'] as const;
export type Lifetime = (typeof lifetimes)[number];

const days: Readonly<Partial<Record<Lifetime, number>>> = { in30: 30, in90: 90, in365: 365 };

/** The last moment at which a key may end that was born then; null: it may live for ever. */
export const latestExpiry = (bornMs: number, longestDays: number | null): number | null =>
  longestDays === null ? null : bornMs + longestDays * dayMs;

/** Which lifetimes are left, given the last moment at which the key may end. */
export const allowedLifetimes = (lastMs: number | null, nowMs: number): readonly Lifetime[] =>
  lifetimes.filter((one) => lastMs === null || (one !== 'never' && nowMs + (days[one] ?? 0) * dayMs <= lastMs));

/** The last second of a day in UTC, so that a key ends when its last day does; null never ends. */
export function expiryTime(lifetime: Lifetime, date: string, lastMs: number | null, nowMs: number): string | null {
  if (lifetime === 'never') return null;
  const ms = lifetime === 'onDate' ? Date.parse(date) : nowMs + (days[lifetime] ?? 0) * dayMs;
  if (Number.isNaN(ms)) return null;
  const end = Math.floor(ms / dayMs) * dayMs + dayMs - 1_000;
  return new Date(lastMs !== null && end > lastMs ? end - dayMs : end).toISOString();
}

/** The last whole day before that moment. */
export const lastDay = (lastMs: number): string => formatDay(lastMs + 1_000 - dayMs);

export const formatDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const dateIn = (count: number, nowMs: number): string => formatDay(nowMs + count * dayMs);

/** How many days after the present day, in UTC, a time is: a key that expires tomorrow does not expire today, even within 24 hours. */
export const daysLeft = (time: string, nowMs: number): number =>
  Math.max(0, Math.floor(Date.parse(time) / dayMs) - Math.floor(nowMs / dayMs));
