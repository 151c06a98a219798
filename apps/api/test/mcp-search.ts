/** A document of the search: a name and its text. */
export interface Indexed {
  readonly name: string;
  readonly text: string;
}

const k1 = 1.2;
const b = 0.75;

/** BM25, as hosts with many tools search them: the names, best first. */
export function searchOver(documents: readonly Indexed[]): (phrase: string) => readonly string[] {
  const all = documents.map(({ name, text }) => ({ name, terms: tokenize(text) }));
  const meanLength = all.reduce((sum, { terms }) => sum + terms.length, 0) / all.length;
  const documentCounts = new Map<string, number>();
  for (const { terms } of all)
    for (const word of new Set(terms)) documentCounts.set(word, (documentCounts.get(word) ?? 0) + 1);
  const weight = (word: string) => {
    const count = documentCounts.get(word) ?? 0;
    return Math.log(1 + (all.length - count + 0.5) / (count + 0.5));
  };
  return (phrase) => {
    const query = new Set(tokenize(phrase));
    const scored = all.map(({ name, terms }) => {
      let score = 0;
      for (const word of query) {
        const times = terms.filter((one) => one === word).length;
        score += (weight(word) * times * (k1 + 1)) / (times + k1 * (1 - b + (b * terms.length) / meanLength));
      }
      return { name, score };
    });
    return scored
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score)
      .map(({ name }) => name);
  };
}

/** Terms in lower case, with camel case split, without the endings of plurals and common verb forms. */
function tokenize(text: string): string[] {
  const apart = text.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return (apart.match(/[a-z0-9]+/g) ?? []).map((word) =>
    word.length > 4 ? word.replace(/(ing|ed|es|s)$/, '').replace(/(.)\1$/, '$1') : word,
  );
}
