import { type HiddenMembers, hidden } from './lossless.ts';
import { ExactNumber, isObject, type Json } from './value.ts';

/**
 * A value as JSON text with everything that it was read with: the digits of numbers, what hides behind repeated names,
 * members in their order (names that are numbers come first). For what is handed on as the provider's own.
 */
export function textAsSent(value: Json): string {
  if (value instanceof ExactNumber) return value.digits;
  if (Array.isArray(value)) return `[${value.map(textAsSent).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const concealed = (value as { readonly [hidden]?: HiddenMembers })[hidden] ?? [];
  const members = (Object.entries(value) as [string, Json][]).flatMap(([name, member]) => [
    // The last of repeated names counts for every reader.
    ...concealed.filter(([hiddenName]) => hiddenName === name),
    [name, member] as const,
  ]);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${textAsSent(member)}`).join(',')}}`;
}
