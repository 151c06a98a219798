import { noResource, type Resource } from '../activity/activity.ts';
import type { Parameters } from './parameters.ts';

/** The resource of an event, from the parameters in which Google's applications name their objects. */
export function readGoogleResource(parameters: Parameters): Resource {
  const document = parameters.text('doc_id');
  if (document !== null) {
    const kind = documentKinds.get(parameters.text('doc_type') ?? '') ?? 'file';
    return { id: document, name: parameters.text('doc_title'), type: kind };
  }
  for (const [id, name, type] of namings) {
    const found = { id: parameters.text(id), name: parameters.text(name) };
    if (found.id !== null || found.name !== null)
      return { id: found.id ?? found.name, name: found.name ?? found.id, type };
  }
  return noResource;
}

const documentKinds = new Map([
  ['folder', 'folder'],
  ['shared_drive', 'sharedDrive'],
  ['team_drive', 'sharedDrive'],
]);

/** In this order: an event that names a user and an organizational unit is about the user. */
const namings: readonly (readonly [id: string, name: string, type: string])[] = [
  ['USER_EMAIL', 'USER_EMAIL', 'user'],
  ['GROUP_EMAIL', 'GROUP_EMAIL', 'group'],
  ['group_id', 'group_email', 'group'],
  ['ROLE_ID', 'ROLE_NAME', 'role'],
  ['client_id', 'app_name', 'application'],
  ['APP_ID', 'APPLICATION_NAME', 'application'],
  ['DEVICE_ID', 'DEVICE_MODEL', 'device'],
  ['DOMAIN_NAME', 'DOMAIN_NAME', 'domain'],
  ['ORG_UNIT_NAME', 'ORG_UNIT_NAME', 'orgUnit'],
];
