/** Those of the words that hold this one or are spelled most like it, the most alike first. */
export function nearest(word: string, words: readonly string[], count: number): string[] {
  const asked = word.toLowerCase();
  const distance = (other: string) => (asked !== '' && other.includes(asked) ? 0 : editsBetween(asked, other));
  return words
    .map((other) => ({ other, edits: distance(other) }))
    .sort((a, b) => a.edits - b.edits || (a.other < b.other ? -1 : 1))
    .slice(0, count)
    .map(({ other }) => other);
}

/** How many letters have to be put in, left out or changed to make one word of the other. */
function editsBetween(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const row = [index + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const changed = (above[column - 1] ?? 0) + (letter === to[column - 1] ? 0 : 1);
      row.push(Math.min(changed, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1));
    }
    above = row;
  }
  return above[to.length] ?? 0;
}
