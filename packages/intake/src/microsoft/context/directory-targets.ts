import { type EventTarget, targetsMax } from '@tenantscope/contract';
import { firstGuid } from '../../field/guid.ts';
import { isObject, type Json, toInteger, toText } from '../../json/value.ts';

/**
 * The objects of Entra's list of identifiers. An object begins with `User_<guid>` (type 2), or is one entry of type 0; then
 * follow its GUID and class (2), display name (1), UPN (5), PUID (3) and service principal names (4).
 */
export function readDirectoryTargets(list: Json | undefined): EventTarget[] {
  if (!Array.isArray(list)) return [];
  const targets: EventTarget[] = [];
  let object: DirectoryObject | null = null;
  for (const entry of list as readonly Json[]) {
    if (!isObject(entry) || targets.length > targetsMax) continue;
    const text = toText(entry.ID);
    const kind = toInteger(entry.Type);
    if (text === null || kind === null || placeholders.has(text)) continue;
    const prefix = kind === 2 ? prefixed.exec(text) : null;
    if (object === null || kind === 0 || prefix !== null) {
      if (object !== null) targets.push(toTarget(object));
      object = { id: null, type: null, displayName: null, principalName: null };
    }
    if (prefix !== null) object.type = prefix[1] as string;
    else fillObject(object, kind, text);
    if (prefix !== null) object.id = prefix[2] as string;
  }
  if (object !== null) targets.push(toTarget(object));
  return targets;
}

interface DirectoryObject {
  id: string | null;
  type: string | null;
  displayName: string | null;
  principalName: string | null;
}

function fillObject(object: DirectoryObject, kind: number, text: string): void {
  if (kind === 0) object.id = text;
  else if (kind === 1) object.displayName ??= text;
  else if (kind === 5) object.principalName ??= text;
  else if (kind === 2) fillIdOrClass(object, text);
}

/** The first GUID is the object's; others are application ids. */
function fillIdOrClass(object: DirectoryObject, text: string): void {
  const guid = firstGuid(text);
  if (guid === null) object.type ??= text;
  else object.id ??= guid;
}

function toTarget({ id, type, displayName, principalName }: DirectoryObject): EventTarget {
  return { id, name: displayName ?? principalName, type };
}

/** In place of the application of a sign-in. */
const placeholders: ReadonlySet<string> = new Set(['Unknown', 'Not Available']);
/** A class and an id; the id of anonymized records is no GUID. */
const prefixed = /^([A-Z][A-Za-z]{2,40})_([\w-]{3,64})$/;
