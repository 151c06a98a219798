/** Hours between two times, rounded down to two decimals; null where a time is unknown or the end is before the start. */
export function countHours(fromMs: number, until: unknown): number | null {
  const untilMs = typeof until === 'number' ? until : typeof until === 'string' ? Date.parse(until) : Number.NaN;
  return untilMs >= fromMs ? Math.floor((untilMs - fromMs) / 36_000) / 100 : null;
}
