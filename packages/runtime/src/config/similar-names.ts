/** The names that contain the given one or are closest to it by edit distance, closest first. */
export function findSimilar(name: string, names: readonly string[], count: number): string[] {
  const searched = name.toLowerCase();
  const distance = (other: string) =>
    searched !== '' && other.toLowerCase().includes(searched) ? 0 : editDistance(searched, other.toLowerCase());
  return names
    .map((other) => ({ other, edits: distance(other) }))
    .sort((a, b) => a.edits - b.edits || (a.other < b.other ? -1 : 1))
    .slice(0, count)
    .map(({ other }) => other);
}

/** The Levenshtein distance of two names. */
function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, character] of [...from].entries()) {
    const row = [index + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const changed = (above[column - 1] ?? 0) + (character === to[column - 1] ? 0 : 1);
      row.push(Math.min(changed, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1));
    }
    above = row;
  }
  return above[to.length] ?? 0;
}
