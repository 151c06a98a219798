import { isObject, type Json, type JsonObject, toText } from '../json/value.ts';
import type { Detail } from './event-context.ts';

/** Members of a record that a row has in another field: `true` for the whole member, else those of its own members. */
export type ServedMembers = { readonly [name: string]: true | ServedMembers };

/**
 * Adds every text, number and boolean of `members` that `served` does not name to `details`, under its name in the record:
 * members of objects as `outer.inner`, elements of lists under the name of the list.
 */
export function addRemainingMembers(
  details: Detail[],
  members: JsonObject,
  served: ServedMembers = noMembers,
  prefix = '',
): void {
  for (const name of Object.keys(members)) {
    const own = Object.hasOwn(served, name) ? served[name] : undefined;
    if (own !== true) addDetail(details, prefix === '' ? name : joinName(prefix, name), members[name], own);
  }
}

/** The same for one member, whatever its type. */
export function addDetail(
  details: Detail[],
  name: string,
  value: Json | undefined,
  served: ServedMembers = noMembers,
): void {
  if (value === null || value === undefined || details.length >= detailsReadMax) return;
  if (Array.isArray(value)) {
    for (const element of value) addDetail(details, name, element, served);
  } else if (isObject(value)) {
    addRemainingMembers(details, value, served, name.length > nameMax ? name.slice(0, nameMax) : name);
  } else {
    const text = typeof value === 'boolean' ? String(value) : toText(value);
    if (text !== null) details.push([name, text]);
  }
}

/**
 * `outer.inner`. Records of one kind have the same paths: one string for each, whose hash the engine keeps, makes the look-ups
 * of names while details are written twice as fast.
 */
function joinName(outer: string, inner: string): string {
  const own = joinedNames.get(outer);
  const cached = own?.get(inner);
  if (cached !== undefined) return cached;
  const joined = `${outer}.${inner}`;
  if (joinedCount < joinedMax && joined.length <= joinedLengthMax) {
    joinedCount++;
    if (own === undefined) joinedNames.set(outer, new Map([[inner, joined]]));
    else own.set(inner, joined);
  }
  return joined;
}

/** A tenant can send any name, so that the memory is bounded. */
const joinedNames = new Map<string, Map<string, string>>();
const joinedMax = 4_096;
const joinedLengthMax = 128;
let joinedCount = 0;

const noMembers: ServedMembers = Object.freeze({});
/**
 * Far above what a row shows: 4,096 values, of which each has a character and a comma, exceed 8,192 bytes or 64 names, so
 * that the row is marked as truncated.
 */
const detailsReadMax = 4_096;
/** A name in `details` has at most 64 characters; objects nested a hundred levels deep must not build names of 1 MiB. */
const nameMax = 256;
