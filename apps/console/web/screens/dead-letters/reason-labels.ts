import type { Labels } from '../../labels/en.ts';

/** The label of a reason; an unknown reason is shown by its code. */
export const reasonLabel = ({ deadLetters }: Labels, reason: string): string =>
  (deadLetters.reasonNames as Readonly<Record<string, string>>)[reason] ?? reason;

/** The meaning of a reason and how to fix it; null for an unknown reason. */
export const reasonHelp = ({ deadLetters }: Labels, reason: string): string | null =>
  (deadLetters.reasonHelp as Readonly<Record<string, string>>)[reason] ?? null;
