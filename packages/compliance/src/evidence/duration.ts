/** Hours between two times with two decimals, cut; null where one of them is not known or they lie the wrong way round. */
export function hoursBetween(fromMs: number, until: unknown): number | null {
  const untilMs = typeof until === 'number' ? until : typeof until === 'string' ? Date.parse(until) : Number.NaN;
  return untilMs >= fromMs ? Math.floor((untilMs - fromMs) / 36_000) / 100 : null;
}
