import { noResource, type Resource } from '../activity/activity.ts';
import { firstGuid } from '../field/guid.ts';
import { isObject, type JsonObject, toInteger, toList, toText } from '../json/value.ts';
import { readObjectResource } from './resource-object.ts';

/**
 * The target of an Entra change: a list such as `User_<guid>` (2), `<guid>` (2), `User` (2), a display name (1) or a UPN
 * (5). The bare GUID next to the class is the object id; further GUIDs of type 2 are application ids.
 */
export function readDirectoryResource(record: JsonObject): Resource {
  let id: string | null = null;
  let type: string | null = null;
  let displayName: string | null = null;
  let principalName: string | null = null;
  for (const entry of toList(record.Target)) {
    const text = isObject(entry) ? toText(entry.ID) : null;
    const kind = isObject(entry) ? toInteger(entry.Type) : null;
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
  return id === null && name === null ? readObjectResource(record) : { id, name, type };
}

/** The application of a sign-in; its name is not in the record. */
export function readSignInResource(record: JsonObject): Resource {
  const id = toText(record.ObjectId);
  return id === null || id === 'Unknown' || id === 'Not Available'
    ? noResource
    : { id, name: null, type: 'application' };
}

/** Entra's object classes and the service's resource types. */
const classes = new Map(
  ['User', 'ServicePrincipal', 'Application', 'Group', 'Role', 'Device', 'Policy', 'Other'].map((name) => [
    name,
    `${name[0]?.toLowerCase()}${name.slice(1)}`,
  ]),
);
