import type { Comparison, Detection } from './detection.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Whether a row of the API is one that a detection finds: filters are members of the row, and actions compare without case. */
export function findsRow({ query, where }: Detection, row: Readonly<Record<string, unknown>>): boolean {
  const isListed = Object.entries(query).every(([name, values]) => {
    const value = String(row[name]);
    return values
      .split(',')
      .some((each) => (name === 'action' ? each.toLowerCase() === value.toLowerCase() : each === value));
  });
  return isListed && meetsAll(row, where);
}

/** Whether a row of the API meets all comparisons. */
export function meetsAll(row: Readonly<Record<string, unknown>>, comparisons: readonly Comparison[]): boolean {
  return comparisons.every((comparison) => meets(row, comparison));
}

function meets(row: Readonly<Record<string, unknown>>, [path, operator, expected]: Comparison): boolean {
  const found = findValues(row as Json, path).map((value) => String(value).toLowerCase());
  if (operator === 'isPresent') return found.length > 0 === expected;
  const accepted = (Array.isArray(expected) ? expected : [expected]).map((value) => String(value).toLowerCase());
  if (operator === 'isNot') return !found.some((value) => accepted.includes(value));
  return found.some((value) =>
    operator === 'is' ? accepted.includes(value) : accepted.some((part) => value.includes(part)),
  );
}

/** The values at a path that are neither null nor missing. */
function findValues(value: Json | undefined, path: string): (string | number | boolean)[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((element: Json) => findValues(element, path));
  if (typeof value !== 'object') return path === '' ? [value] : [];
  const members = value as { readonly [name: string]: Json };
  const [first = '', rest = ''] = splitFirst(path);
  const member = members[first];
  if (first === 'details') return findValues((member as Record<string, Json> | null)?.[rest], '');
  return first === 'changes' ? findChanged(member, rest) : findValues(member, rest);
}

/** Names of properties may contain full stops: the last one separates `before` or `after`. */
function findChanged(changes: Json | undefined, path: string): (string | number | boolean)[] {
  if (!Array.isArray(changes)) return [];
  const at = path.lastIndexOf('.');
  const name = path.slice(0, at);
  return changes
    .filter((change) => (change as { readonly name: string | null }).name === name)
    .flatMap((change: Json) => findValues(change, path.slice(at + 1)));
}

function splitFirst(path: string): readonly [first: string, rest: string] {
  const at = path.indexOf('.');
  return at === -1 ? [path, ''] : [path.slice(0, at), path.slice(at + 1)];
}
