import type { Json } from '@tenantscope/proof';

/**
 * A value as somebody told it, fit for a pack: a number that readers could understand differently (beyond ±(2^53 − 1)) becomes its text, what
 * is absent becomes null. For members that pass through whole, such as `details`.
 */
export function toldValue(value: unknown): Json {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : String(value);
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(toldValue);
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toWellFormed(), toldValue(member)]));
}

export const toldText = (value: unknown): string | null => (typeof value === 'string' ? value.toWellFormed() : null);

export const toldFlag = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);

/** A whole number that every reader understands alike. */
export const toldCount = (value: unknown): number | null => (Number.isSafeInteger(value) ? Number(value) : null);

/** One of a closed list; what is outside of it becomes `otherwise`. */
export function toldWord<Word extends string, Otherwise extends Word | null>(
  value: unknown,
  words: readonly Word[],
  otherwise: Otherwise,
): Word | Otherwise {
  return words.find((word) => word === value) ?? otherwise;
}

/** A time as text of 24 characters, from such a text, a Date or epoch ms; null for anything else. */
export function toldTime(value: unknown): string | null {
  const date = typeof value === 'string' || typeof value === 'number' || value instanceof Date ? new Date(value) : null;
  return date === null || Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** The texts of a list; what is no list is an empty one. */
export const toldTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.flatMap((item) => toldText(item) ?? []) : [];
