import type { Words } from '../../words/en.ts';

/** A reason in words; one that these words do not know yet, as it is called. */
export const reasonWords = ({ letters }: Words, reason: string): string =>
  (letters.words as Readonly<Record<string, string>>)[reason] ?? reason;

/** What it means and what mends it; null where these words do not know it. */
export const reasonMeaning = ({ letters }: Words, reason: string): string | null =>
  (letters.meanings as Readonly<Record<string, string>>)[reason] ?? null;
