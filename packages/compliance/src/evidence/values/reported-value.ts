import type { Json } from '@tenantscope/proof';

/**
 * Converts a reported value for a pack: a number that readers could parse differently (beyond ±(2^53 − 1)) becomes text, an
 * absent value becomes null. For members that are passed through as a whole, such as `details`.
 */
export function toJsonValue(value: unknown): Json {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : String(value);
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(toJsonValue);
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toWellFormed(), toJsonValue(member)]));
}

export const toText = (value: unknown): string | null => (typeof value === 'string' ? value.toWellFormed() : null);

export const toFlag = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);

/** A safe integer, else null. */
export const toCount = (value: unknown): number | null => (Number.isSafeInteger(value) ? Number(value) : null);

/** The value if it is in the list, else `otherwise`. */
export function toEnumValue<Value extends string, Otherwise extends Value | null>(
  value: unknown,
  values: readonly Value[],
  otherwise: Otherwise,
): Value | Otherwise {
  return values.find((word) => word === value) ?? otherwise;
}

/** A time as text of 24 characters, from such a text, a Date or epoch ms; null for anything else. */
export function toIsoTime(value: unknown): string | null {
  const date = typeof value === 'string' || typeof value === 'number' || value instanceof Date ? new Date(value) : null;
  return date === null || Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** The texts of a list; empty where the value is not a list. */
export const toTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.flatMap((item) => toText(item) ?? []) : [];
