import { parseGuid } from '@tenantscope/contract';
import type { Detail } from '../activity/event-context.ts';
import { serializeLossless } from '../json/serialize-lossless.ts';
import { isObject, type Json, type JsonObject, toText } from '../json/value.ts';
import { frameNames } from './frame-names.ts';
import type { LogFrame } from './log-frame.ts';

/**
 * Adds the members of an object that no field of the row serves, under their own names: texts, numbers and booleans as
 * text, lists of them joined by commas, pairs of names and values under the name of the pair, members of inner objects
 * with the path before them. Empty values and members of shippers are left out.
 *
 * @param served names of members that fields of the row serve
 */
export function addMembers(
  details: Detail[],
  object: JsonObject,
  served: ReadonlySet<string>,
  prefix = '',
  depth = 0,
): void {
  for (const name of Object.keys(object)) {
    const member = object[name];
    if (member === null || member === undefined || member === '') continue;
    if (served.has(name) || isShipperMember(name)) continue;
    addValue(details, prefix === '' ? name : prefix + name, member, depth);
  }
}

/**
 * Adds the members of the frame, and those of its served members whose value differs from the one that the record itself
 * has and the row shows.
 */
export function addFrame(
  details: Detail[],
  frame: LogFrame,
  own: { readonly action?: Json; readonly correlationId?: Json | undefined; readonly address?: Json | undefined },
): void {
  addMembers(details, frame.members, frameNames);
  addDifference(details, 'operationName', frame.action, own.action);
  addDifference(details, 'correlationId', frame.correlationId, own.correlationId);
  addDifference(details, 'callerIpAddress', frame.address, own.address);
}

function addDifference(details: Detail[], name: string, framed: Json | undefined, own: Json | undefined): void {
  const text = toText(framed);
  const shown = toText(own);
  if (text !== null && shown !== null && text !== shown) details.push([name, text]);
}

/** Adds an id that is no GUID, which the row's field therefore does not show. */
export function addInvalidGuid(details: Detail[], name: string, id: Json | undefined): void {
  const text = toText(id);
  if (text !== null && parseGuid(text) === null) details.push([name, text]);
}

function addValue(details: Detail[], name: string, value: Json, depth: number): void {
  const text = toScalarText(value);
  if (text !== null) details.push([name, text]);
  else if (Array.isArray(value)) addList(details, name, value);
  else if (!isObject(value)) return;
  else if (depth < maxDepth) addMembers(details, value, noNames, `${name}.`, depth + 1);
  else details.push([name, serializeLossless(value)]);
}

/** A list of names and values is served under the names, any other list as one text. */
function addList(details: Detail[], name: string, list: readonly Json[]): void {
  const texts: string[] = [];
  for (const entry of list) {
    const pair = isObject(entry) ? toPair(entry) : null;
    if (pair !== null) {
      if (pair[1] !== '') details.push(pair);
    } else if (entry !== null && entry !== '') texts.push(toScalarText(entry) ?? serializeLossless(entry));
  }
  if (texts.length > 0) details.push([name, texts.join(', ')]);
}

/** `{key, value}` and its spellings; null for objects with other members. */
function toPair(entry: JsonObject): Detail | null {
  const name = entry.key ?? entry.Key ?? entry.name ?? entry.Name;
  const value = entry.value ?? entry.Value;
  if (typeof name !== 'string' || value === undefined) return null;
  const text = toScalarText(value) ?? (isObject(value) || Array.isArray(value) ? serializeLossless(value) : null);
  return [name, text ?? ''];
}

function toScalarText(value: Json): string | null {
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return isObject(value) || Array.isArray(value) ? null : toText(value);
}

/** Added by collectors next to the provider's own members. */
function isShipperMember(name: string): boolean {
  return name.charCodeAt(0) === at || name.startsWith('p_');
}

const at = 0x40;
const noNames: ReadonlySet<string> = new Set();
/** Real records nest three levels; a hostile one is nested no deeper than the parser allows. */
const maxDepth = 4;
