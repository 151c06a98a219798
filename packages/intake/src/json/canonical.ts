import { type DuplicateMembers, duplicates } from './parse-lossless.ts';
import { ExactNumber, isObject, type Json, type JsonObject } from './value.ts';

/**
 * The canonical text of a value: members sorted at all levels, no white space, digits of numbers unchanged. Whatever
 * order or spacing a record arrives in, its canonical text is the same, and two records that differ in the last digit of
 * a long number, or in a member hidden by a duplicate name, have two texts.
 *
 * @param hasDuplicateNames whether some object of the value hides members behind repeated names. The built-in writer cannot
 *   write a name twice, so such a value is written by hand; both ways write the same text for any other value.
 */
export function canonicalizeJson(value: Json, hasDuplicateNames: boolean): string {
  return hasDuplicateNames ? write(value) : JSON.stringify(sortMembers(value));
}

/** A sorted copy handed to the built-in writer costs half of writing the text by hand (9 against 18 µs on 1.4 kB). */
function sortMembers(value: Json): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortMembers);
  if (value instanceof ExactNumber) return rawJson(value.digits);
  const members = value as JsonObject;
  const copy: { [name: string]: unknown } = {};
  for (const name of Object.keys(members).sort()) {
    const member = sortMembers(members[name] as Json);
    // An assignment to `__proto__` would set the prototype and lose the member.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: member, enumerable: true });
    else copy[name] = member;
  }
  return copy;
}

function write(value: Json): string {
  if (value instanceof ExactNumber) return value.digits;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const concealed = groupDuplicates(value);
  const members = sortNames(value).flatMap((name) => {
    const values = [...(concealed.get(name) ?? []), value[name] as Json];
    return values.map((each) => `${JSON.stringify(name)}:${write(each)}`);
  });
  return `{${members.join(',')}}`;
}

function groupDuplicates(value: JsonObject): Map<string, Json[]> {
  const members = (value as { readonly [duplicates]?: DuplicateMembers })[duplicates] ?? [];
  const byName = new Map<string, Json[]>();
  for (const [name, member] of members) {
    const sameName = byName.get(name);
    if (sameName === undefined) byName.set(name, [member]);
    else sameName.push(member);
  }
  return byName;
}

/** The order in which `sorted` writes: the language puts names that are array indices first, by number. */
function sortNames(value: JsonObject): string[] {
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  names.sort();
  return Object.keys(Object.fromEntries(names.map((name) => [name, null])));
}

/** A number that `JSON.stringify` writes digit by digit; TypeScript does not know the function yet. */
const rawJson = (JSON as unknown as { rawJSON(digits: string): unknown }).rawJSON;
