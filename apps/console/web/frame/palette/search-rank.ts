/** An item that can be searched for. */
export interface Searchable {
  readonly label: string;
  /** Shown next to the label: an id, a path or a description. */
  readonly hint?: string;
}

const marks = /\p{M}/gu;
const separators = /[\s/_.,:·{}«»()…-]+/u;
/** Without case and accents: "zazolc" finds "Zażółć". */
const normalize = (text: string): string => text.toLowerCase().replaceAll('ł', 'l').normalize('NFD').replace(marks, '');

/** The entries that contain every typed word, best match first; equal matches keep their order. */
export function rankMatches<Entry extends Searchable>(typed: string, entries: readonly Entry[]): readonly Entry[] {
  const terms = normalize(typed).split(/\s+/).filter(Boolean);
  if (terms.length === 0) return entries;
  return entries
    .map((entry) => ({ entry, score: scoreMatch(terms, entry) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ entry }) => entry);
}

/** From 1 to 6; 0: no match. */
function scoreMatch(terms: readonly string[], entry: Searchable): number {
  const [label, hint] = [normalize(entry.label), normalize(entry.hint ?? '')];
  const [labelTokens, hintTokens] = [label.split(separators), hint.split(separators)];
  let sum = 0;
  for (const term of terms) {
    const score = label.startsWith(term)
      ? 6
      : labelTokens.some((one) => one.startsWith(term))
        ? 5
        : label.includes(term)
          ? 4
          : hintTokens.some((one) => one.startsWith(term))
            ? 3
            : hint.includes(term)
              ? 2
              : labelTokens.some((one) => isAbbreviation(term, one))
                ? 1
                : 0;
    if (score === 0) return 0;
    sum += score;
  }
  return sum / terms.length;
}

const minAbbreviationLength = 3;

/** Whether the word contains these characters in order: "plgr" abbreviates "playground". */
function isAbbreviation(term: string, word: string): boolean {
  if (term.length < minAbbreviationLength || term[0] !== word[0]) return false;
  let at = 0;
  for (const character of word) if (character === term[at]) at += 1;
  return at === term.length;
}
