const dayMs = 86_400_000;

export const lifetimes = ['in30', 'in90', 'in365', 'onDate', 'never'] as const;
export type Lifetime = (typeof lifetimes)[number];

const days: Readonly<Partial<Record<Lifetime, number>>> = { in30: 30, in90: 90, in365: 365 };

/** Which lifetimes an organization leaves, given its longest. */
export const allowedLifetimes = (longestDays: number | null): readonly Lifetime[] =>
  lifetimes.filter((one) => longestDays === null || (one !== 'never' && (days[one] ?? 0) <= longestDays));

/** The last second of a day in UTC, so that a key ends when its last day does; null never ends. */
export function endOf(lifetime: Lifetime, date: string, longestDays: number | null, nowMs: number): string | null {
  if (lifetime === 'never') return null;
  const ms = lifetime === 'onDate' ? Date.parse(date) : nowMs + (days[lifetime] ?? 0) * dayMs;
  if (Number.isNaN(ms)) return null;
  const end = Math.floor(ms / dayMs) * dayMs + dayMs - 1_000;
  const last = longestDays === null ? end : nowMs + longestDays * dayMs;
  return new Date(end > last ? end - dayMs : end).toISOString();
}

export const dateIn = (count: number, nowMs: number): string =>
  new Date(nowMs + count * dayMs).toISOString().slice(0, 10);
