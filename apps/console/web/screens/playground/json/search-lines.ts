import type { JsonIndex } from './json-index.ts';

/** The lines that hold what is looked for, whatever its letters' case. Numbers that stand for hidden characters find these too. */
export function searchLines({ text, starts, ends, count }: JsonIndex, needle: string): readonly number[] {
  if (needle === '') return [];
  const found: number[] = [];
  const pattern = searchPattern(needle);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const line = lineAt(starts, count, match.index);
    found.push(line);
    pattern.lastIndex = Math.max(ends[line] ?? 0, match.index + 1);
  }
  return found;
}

const special = /[\\^$.*+?()[\]{}|/]/g;

function searchPattern(needle: string): RegExp {
  const quoted = needle
    .replace(special, '\\$&')
    // Lines show a space behind a name, which the document has not.
    .replaceAll('": ', '":\\s*')
    .replace(/\\\\u([0-9a-f]{4})/gi, '(?:\\\\u$1|\\u$1)');
  return new RegExp(quoted, 'gi');
}

function lineAt(starts: Uint32Array, count: number, offset: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
