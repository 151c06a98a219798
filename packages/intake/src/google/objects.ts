import type { EventTarget } from '@tenantscope/contract';
import { noResource, type Resource } from '../activity/activity.ts';
import type { Parameters } from './parameters.ts';

/**
 * The resource of an event: of the objects that it names, the first in the order of the table below. A document without an
 * id is none.
 */
export function readGoogleResource(parameters: Parameters): Resource {
  let first = namings.length;
  for (const [name] of parameters.values) {
    const rank = ranksByParameter.get(name);
    if (rank !== undefined && rank < first) first = rank;
  }
  const naming = namings[first];
  if (naming === undefined) return noResource;
  const id = parameters.text(naming.id);
  const name = parameters.text(naming.name) ?? (naming.otherName && parameters.text(naming.otherName)) ?? null;
  return naming.isDocument
    ? { id, name, type: documentKinds.get(parameters.text('doc_type') ?? '') ?? naming.type }
    : { id: id ?? name, name: name ?? id, type: naming.type };
}

/** Every object that the parameters name, in their order. */
export function listGoogleTargets(parameters: Parameters): EventTarget[] {
  const found = new Map<Naming, { ids: string[]; names: string[] }>();
  for (const [name, value] of parameters.values) {
    const naming = namingsByParameter.get(name);
    if (naming === undefined) continue;
    let own = found.get(naming);
    if (own === undefined) {
      own = { ids: [], names: [] };
      found.set(naming, own);
    }
    if (name === naming.id) own.ids.push(value);
    else own.names.push(value);
  }
  const targets: EventTarget[] = [];
  for (const [naming, { ids, names }] of found) {
    const type = (naming.kind && parameters.text(naming.kind)) ?? naming.type;
    for (let index = 0; index < Math.max(ids.length, names.length); index++) {
      const id = ids[index] ?? null;
      const name = names[index] ?? (naming.id === naming.name ? id : null);
      if (!targets.some((target) => target.id === id && target.name === name && target.type === type))
        targets.push({ id, name, type });
      if (targets.length > targetsReadMax) return targets;
    }
  }
  return targets;
}

/** The parameters in which Google's applications name an object. */
interface Naming {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** Where another application names the same kind of object otherwise. */
  readonly otherName: string | undefined;
  readonly isDocument: boolean;
  /** The parameter that has the type of the object, where there is one. */
  readonly kind: string | undefined;
}

const kinds = new Map([
  ['doc_id', 'doc_type'],
  ['member_id', 'member_type'],
  ['ASSET_ID', 'ASSET_TYPE'],
]);
const documentKinds = new Map([
  ['folder', 'folder'],
  ['shared_drive', 'sharedDrive'],
  ['team_drive', 'sharedDrive'],
]);

function naming(type: string, id: string, name = id, otherName?: string): Naming {
  return { id, name, otherName, type, isDocument: id === 'doc_id', kind: kinds.get(id) };
}

/** In this order: an event that names a user and an organizational unit is about the user. */
const namings: readonly Naming[] = [
  naming('file', 'doc_id', 'doc_title'),
  naming('user', 'USER_EMAIL'),
  naming('group', 'GROUP_EMAIL'),
  naming('group', 'group_id', 'group_email'),
  naming('role', 'ROLE_ID', 'ROLE_NAME'),
  naming('application', 'client_id', 'app_name'),
  naming('application', 'application_name'),
  naming('application', 'APP_ID', 'APPLICATION_NAME', 'APP_NAME'),
  naming('application', 'API_CLIENT_NAME'),
  naming('device', 'DEVICE_ID', 'DEVICE_MODEL'),
  naming('device', 'device_id', 'device_name'),
  naming('device', 'DIRECTORY_DEVICE_ID', 'DEVICE_NAME'),
  naming('device', 'COMPANY_DEVICE_ID'),
  naming('device', 'DEVICE_SERIAL_NUMBER'),
  naming('application', 'MOBILE_APP_PACKAGE_ID'),
  naming('email', 'message_info.rfc2822_message_id', 'message_info.subject'),
  naming('email', 'EMAIL_LOG_SEARCH_MSG_ID'),
  naming('calendarEvent', 'event_id', 'event_title'),
  naming('calendar', 'calendar_id'),
  naming('message', 'message_id'),
  naming('chat', 'room_id', 'room_name'),
  naming('matter', 'matter_id'),
  naming('note', 'note_name'),
  naming('rule', 'rule_id', 'rule_name'),
  naming('rule', 'RULE_NAME'),
  naming('alertRule', 'ALERT_NAME'),
  naming('site', 'SITE_NAME'),
  naming('printer', 'PRINTER_NAME'),
  naming('printServer', 'PRINT_SERVER_NAME'),
  naming('export', 'OBFUSCATED_CUSTOMER_TAKEOUT_REQUEST_ID'),
  naming('resource', 'resource_id', 'resource_title'),
  naming('asset', 'ASSET_ID', 'ASSET_NAME'),
  naming('sharedDrive', 'shared_drive_id'),
  naming('user', 'affected_email_address'),
  naming('user', 'user_email'),
  naming('user', 'target_user'),
  naming('user', 'target_users'),
  naming('user', 'target_email'),
  naming('user', 'TARGET_USER_EMAIL'),
  naming('user', 'DEVICE_USER'),
  naming('user', 'target'),
  naming('user', 'member_id'),
  naming('user', 'new_owner'),
  naming('user', 'event_guest'),
  naming('user', 'grantee_email'),
  naming('user', 'recipient_email'),
  naming('user', 'DESTINATION_USER_EMAIL'),
  naming('user', 'message_info.destination.address'),
  naming('user', 'resource_recipients'),
  naming('emailAddress', 'email_forwarding_destination_address'),
  naming('emailAddress', 'EMAIL_MONITOR_DEST_EMAIL'),
  naming('application', 'CAA_APPLICATION'),
  naming('device', 'CAA_DEVICE_ID'),
  naming('folder', 'destination_folder_id', 'destination_folder_title'),
  naming('deviceFile', 'CONTENT_HASH', 'CONTENT_NAME'),
  naming('url', 'TAB_URL'),
  naming('privilege', 'PRIVILEGE_NAME'),
  naming('domain', 'DOMAIN_NAME'),
  naming('domain', 'target_domain'),
  naming('orgUnit', 'ORG_UNIT_NAME'),
  naming('orgUnit', 'organizational_unit_name'),
  naming('meeting', 'conference_id', 'meeting_code'),
  naming('resource', 'RESOURCE_NAME'),
  naming('resource', 'resource_name'),
];
const namingsByParameter = new Map(
  namings.flatMap((each) =>
    [each.id, each.name, each.otherName ?? each.name].map((parameter) => [parameter, each] as const),
  ),
);
/** Places of the namings in the table, by the parameters that make an object the resource. */
const ranksByParameter = new Map(
  namings.flatMap(({ id, name, isDocument }, rank) =>
    (isDocument ? [id] : [id, name]).map((parameter) => [parameter, rank] as const),
  ),
);
/** Above what a row shows, so that the row is marked as truncated. */
const targetsReadMax = 64;
