/** The extent of a text's change. `similarity` is the share of common lines, 0 to 1 with three decimals. */
export interface LineDifference {
  readonly [name: string]: number;
  readonly addedLines: number;
  readonly removedLines: number;
  readonly similarity: number;
}

/** Lines that only one of two texts has, counted as often as they occur. A line that moved is neither added nor removed. */
export function compareLines(before: string, after: string): LineDifference {
  const [old, now] = [splitLines(before), splitLines(after)];
  const left = new Map<string, number>();
  for (const line of old) left.set(line, (left.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of now) {
    const count = left.get(line) ?? 0;
    if (count === 0) continue;
    left.set(line, count - 1);
    common += 1;
  }
  const all = old.length + now.length;
  return {
    addedLines: now.length - common,
    removedLines: old.length - common,
    similarity: all === 0 ? 1 : Math.floor((2_000 * common) / all) / 1_000,
  };
}

const splitLines = (text: string): string[] => (text === '' ? [] : text.split(/\r\n|\r|\n/));
