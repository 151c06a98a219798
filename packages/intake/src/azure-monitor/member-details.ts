import { parseGuid } from '@tenantscope/contract';
import type { Detail } from '../activity/event-context.ts';
import { addDetail } from '../activity/remaining-members.ts';
import { isObject, type Json, type JsonObject, toText } from '../json/value.ts';
import { frameNames } from './frame-names.ts';
import type { LogFrame } from './log-frame.ts';

/**
 * Adds the members of an object that no field of the row serves, as `addDetail` does, but pairs of names and values under
 * the name of the pair. Members of shippers are left out.
 *
 * @param served names of members that fields of the row serve
 */
export function addMembers(details: Detail[], object: JsonObject, served: ReadonlySet<string>, prefix = ''): void {
  for (const name of Object.keys(object)) {
    if (served.has(name)) continue;
    const member = object[name];
    if (member === null || member === undefined || member === '' || isShipperMember(name)) continue;
    addValue(details, prefix === '' ? name : prefix + name, member);
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

function addValue(details: Detail[], name: string, value: Json): void {
  if (!Array.isArray(value)) addDetail(details, name, value);
  else for (const entry of value) if (!addPair(details, entry)) addDetail(details, name, entry);
}

/** `{key, value}` and its spellings. */
function addPair(details: Detail[], entry: Json): boolean {
  if (!isObject(entry)) return false;
  const name = entry.key ?? entry.Key ?? entry.name ?? entry.Name;
  const value = entry.value ?? entry.Value;
  if (typeof name !== 'string' || value === undefined) return false;
  addDetail(details, name, value);
  return true;
}

/** Added by collectors next to the provider's own members. */
function isShipperMember(name: string): boolean {
  return name.charCodeAt(0) === at || name.startsWith('p_');
}

const at = 0x40;
