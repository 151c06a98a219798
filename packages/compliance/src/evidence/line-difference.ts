/** How far a text changed. `similarity` is the share of lines both have, 0 to 1 with three decimals. */
export interface LineDifference {
  readonly [name: string]: number;
  readonly addedLines: number;
  readonly removedLines: number;
  readonly similarity: number;
}

/** Lines that only one of two texts has, counted as often as they occur. A line that moved is neither added nor removed. */
export function differenceOf(before: string, after: string): LineDifference {
  const [old, now] = [linesOf(before), linesOf(after)];
  const left = new Map<string, number>();
  for (const line of old) left.set(line, (left.get(line) ?? 0) + 1);
  let kept = 0;
  for (const line of now) {
    const count = left.get(line) ?? 0;
    if (count === 0) continue;
    left.set(line, count - 1);
    kept += 1;
  }
  const all = old.length + now.length;
  return {
    addedLines: now.length - kept,
    removedLines: old.length - kept,
    similarity: all === 0 ? 1 : Math.floor((2_000 * kept) / all) / 1_000,
  };
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/\r\n|\r|\n/));
