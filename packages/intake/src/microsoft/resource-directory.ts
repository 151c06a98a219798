import { noResource, type Resource } from '../activity.ts';
import { firstGuid } from '../field/guid.ts';
import { integerOf, isObject, type JsonObject, listOf, textOf } from '../json/value.ts';
import { objectResource } from './resource-object.ts';

/**
 * The target of an Entra change: a list such as `User_<guid>` (2), `<guid>` (2), `User` (2), a display name (1) or a UPN
 * (5). The bare GUID next to the class is the object id; further GUIDs of type 2 are application ids.
 */
export function directoryResource(record: JsonObject): Resource {
  let id: string | null = null;
  let type: string | null = null;
  let displayName: string | null = null;
  let principalName: string | null = null;
  for (const entry of listOf(record.Target)) {
    const text = isObject(entry) ? textOf(entry.ID) : null;
    const kind = isObject(entry) ? integerOf(entry.Type) : null;
    if (text === null) continue;
    if (kind === 2) {
      id ??= firstGuid(text);
      type ??= classes.get(text) ?? null;
    } else if (kind === 1) {
      displayName ??= text;
    } else if (kind === 5) {
      principalName ??= text;
    }
  }
  const name = displayName ?? principalName;
  return id === null && name === null ? objectResource(record) : { id, name, type };
}

/** The application that was signed in to; its name is not in the record. */
export function signInResource(record: JsonObject): Resource {
  const id = textOf(record.ObjectId);
  return id === null || id === 'Unknown' || id === 'Not Available'
    ? noResource
    : { id, name: null, type: 'application' };
}

/** Entra's object classes and our resource types. */
const classes = new Map(
  ['User', 'ServicePrincipal', 'Application', 'Group', 'Role', 'Device', 'Policy', 'Other'].map((name) => [
    name,
    `${name[0]?.toLowerCase()}${name.slice(1)}`,
  ]),
);
