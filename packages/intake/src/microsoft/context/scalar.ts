import { type Json, toText } from '../../json/value.ts';

/**
 * Text of a text, number or boolean, trimmed; null for anything else and for empty texts. Windows line ends become plain
 * ones: they would be shown as escapes, and every such record be projected twice.
 */
export function toScalarText(value: Json | undefined): string | null {
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  const text = toText(value);
  return text?.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}

/** The first value that is a text, number or boolean. */
export function firstScalar(
  record: { readonly [name: string]: Json | undefined },
  names: readonly string[],
): string | null {
  for (const name of names) {
    const text = toScalarText(record[name]);
    if (text !== null) return text;
  }
  return null;
}
