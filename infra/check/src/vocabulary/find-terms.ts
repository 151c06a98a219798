import { allowedPhrases } from './allow-list.ts';
import { type ForbiddenTerm, forbiddenTerms } from './forbidden-terms.ts';

/** Where a text is found: comments and documents are held to the rows marked `inProse` only. */
export type Context = 'name' | 'file name' | 'text' | 'test title' | 'prose';

const tokensOf = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((token) => token !== '');

const rowsByFirstToken = new Map<string, { tokens: readonly string[]; row: ForbiddenTerm }[]>();
for (const row of forbiddenTerms) {
  for (const term of row.terms) {
    const tokens = term.split(' ');
    const first = tokens[0] ?? '';
    rowsByFirstToken.set(first, [...(rowsByFirstToken.get(first) ?? []), { tokens, row }]);
  }
}
const allowed = allowedPhrases.map((phrase) => phrase.split(' '));

const startsAt = (tokens: readonly string[], at: number, phrase: readonly string[]): boolean =>
  phrase.every((token, index) => tokens[at + index] === token);

/** The forbidden terms in a text; what an allowed phrase covers does not count. */
export function findForbiddenTerms(text: string, context: Context): { term: string; use: string }[] {
  const tokens = tokensOf(text);
  const found: { term: string; use: string }[] = [];
  let at = 0;
  while (at < tokens.length) {
    const covering = allowed.find((phrase) => startsAt(tokens, at, phrase));
    if (covering) {
      at += covering.length;
      continue;
    }
    for (const { tokens: term, row } of rowsByFirstToken.get(tokens[at] ?? '') ?? []) {
      if (context === 'prose' && !row.inProse) continue;
      if (startsAt(tokens, at, term)) found.push({ term: term.join(' '), use: row.use });
    }
    at += 1;
  }
  return found;
}
