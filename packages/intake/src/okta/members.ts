import { type Json, type JsonObject, toObject, toText } from '../json/value.ts';

/** Okta writes "unknown" for missing values, and collectors write "null". */
export function toMeaningfulText(value: Json | undefined): string | null {
  const text = toText(value);
  if (text === null || text.length > 'unknown'.length) return text;
  const lower = text.toLowerCase();
  return lower === 'unknown' || lower === 'null' ? null : text;
}

/**
 * The event with Okta's spelling of its members: warehouses keep columns in lower case. A member that is there in both
 * spellings is left as it is.
 */
export function restoreMemberNames(event: JsonObject): JsonObject {
  if (event.eventType !== undefined || event.eventtype === undefined) return event;
  const restored: Record<string, Json | undefined> = {};
  for (const [name, member] of Object.entries(event)) {
    const spelling = spellings.get(name) ?? name;
    const isTaken = spelling !== name && Object.hasOwn(event, spelling);
    Object.defineProperty(restored, isTaken ? name : spelling, { value: member, ...plainMember });
  }
  return restored;
}

/** What Okta's engines found out about the request, mostly as text. */
export function readDebugData(event: JsonObject): JsonObject {
  return toObject(toObject(event.debugContext).debugData);
}

const spellings = new Map(
  ['eventType', 'displayMessage', 'legacyEventType', 'securityContext', 'authenticationContext', 'debugContext'].map(
    (name) => [name.toLowerCase(), name],
  ),
);
const plainMember = { writable: true, enumerable: true, configurable: true };
