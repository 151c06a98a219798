import { type DuplicateMembers, duplicates } from './parse-lossless.ts';
import { ExactNumber, isObject, type Json } from './value.ts';

/**
 * Serializes a value as JSON text with everything it was read with: the digits of numbers, members hidden by duplicate
 * names, members in their order (names that are numbers come first). For data that is passed on as the provider's own.
 */
export function serializeLossless(value: Json): string {
  if (value instanceof ExactNumber) return value.digits;
  if (Array.isArray(value)) return `[${value.map(serializeLossless).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const concealed = (value as { readonly [duplicates]?: DuplicateMembers })[duplicates] ?? [];
  const members = (Object.entries(value) as [string, Json][]).flatMap(([name, member]) => [
    // Every reader takes the last of duplicate names.
    ...concealed.filter(([hiddenName]) => hiddenName === name),
    [name, member] as const,
  ]);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${serializeLossless(member)}`).join(',')}}`;
}
