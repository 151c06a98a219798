import type { Words } from '../../words/en.ts';

/** A reason in words; one that these words do not know yet, as it is called. */
export const reasonWords = ({ letters }: Words, reason: string): string =>
  (letters.words as Readonly<Record<string, string>>)[reason] ?? reason;
