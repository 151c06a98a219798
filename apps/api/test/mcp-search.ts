/** What is searched: a name and its words. */
export interface Indexed {
  readonly name: string;
  readonly text: string;
}

const k1 = 1.2;
const b = 0.75;

/** BM25, as hosts with many tools search them: the names, best first. */
export function searchOver(documents: readonly Indexed[]): (phrase: string) => readonly string[] {
  const all = documents.map(({ name, text }) => ({ name, words: wordsOf(text) }));
  const meanLength = all.reduce((sum, { words }) => sum + words.length, 0) / all.length;
  const holding = new Map<string, number>();
  for (const { words } of all) for (const word of new Set(words)) holding.set(word, (holding.get(word) ?? 0) + 1);
  const weight = (word: string) => {
    const count = holding.get(word) ?? 0;
    return Math.log(1 + (all.length - count + 0.5) / (count + 0.5));
  };
  return (phrase) => {
    const asked = new Set(wordsOf(phrase));
    const scored = all.map(({ name, words }) => {
      let score = 0;
      for (const word of asked) {
        const times = words.filter((one) => one === word).length;
        score += (weight(word) * times * (k1 + 1)) / (times + k1 * (1 - b + (b * words.length) / meanLength));
      }
      return { name, score };
    });
    return scored
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score)
      .map(({ name }) => name);
  };
}

/** Words in lower case, parts of joined names apart, without the endings of plurals and the commonest verbs' forms. */
function wordsOf(text: string): string[] {
  const apart = text.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return (apart.match(/[a-z0-9]+/g) ?? []).map((word) =>
    word.length > 4 ? word.replace(/(ing|ed|es|s)$/, '').replace(/(.)\1$/, '$1') : word,
  );
}
