import type { EventChange } from '@tenantscope/contract';
import { firstText } from '../json/value.ts';
import type { Parameters } from './parameters.ts';

/**
 * What an event modified, from the parameters that hold a value before and after. Settings are named by another parameter;
 * a name of null means that Google names only the values.
 */
export function listGoogleChanges(parameters: Parameters): EventChange[] {
  const changes: EventChange[] = [];
  for (const { name, old, current } of pairs) {
    const before = joinValues(parameters, old);
    const after = before === null && name !== null && !isNew(current) ? null : joinValues(parameters, current);
    // The visibility is in events that change the access of one user, too.
    if (name === 'visibility' && before === after) continue;
    if (before !== null || after !== null) changes.push({ name: name ?? readSettingName(parameters), before, after });
  }
  return changes;
}

function readSettingName(parameters: Parameters): string | null {
  return firstText(...settingNames.map((name) => parameters.text(name)));
}

/** All values of a parameter: drive lists the roles that a user had and has. */
function joinValues(parameters: Parameters, name: string): string | null {
  if (parameters.text(name) === null) return null;
  return parameters.values.flatMap(([own, value]) => (own === name ? [value] : [])).join(', ');
}

/** `visibility` is in every event of a document; it is a change only where its old value is there too. */
const isNew = (name: string): boolean => /^new_|_new$/i.test(name) || name === 'added_role';

/** The parameters that name a setting, by application: admin, then groups. */
const settingNames: readonly string[] = [
  'SETTING_NAME',
  'USER_DEFINED_SETTING_NAME',
  'FIELD_NAME',
  'INFO_TYPE',
  'acl_permission',
  'basic_setting',
  'identity_setting',
  'info_setting',
  'new_members_restrictions_setting',
  'post_replies_setting',
  'spam_moderation_setting',
  'topic_setting',
  'shared_drive_settings_change_type',
  'REAUTH_APPLICATION',
];

const pairs: readonly { readonly name: string | null; readonly old: string; readonly current: string }[] = [
  { name: null, old: 'OLD_VALUE', current: 'NEW_VALUE' },
  { name: null, old: 'old_value', current: 'new_value' },
  { name: null, old: 'old_value_repeated', current: 'new_value_repeated' },
  { name: 'PERMISSION_GRANT_STATE', old: 'OLD_PERMISSION_GRANT_STATE', current: 'NEW_PERMISSION_GRANT_STATE' },
  { name: 'visibility', old: 'old_visibility', current: 'visibility' },
  { name: 'visibility', old: 'PRIOR_VISIBILITY', current: 'VISIBILITY' },
  { name: null, old: 'old_settings_state', current: 'new_settings_state' },
  { name: null, old: 'REAUTH_SETTING_OLD', current: 'REAUTH_SETTING_NEW' },
  { name: 'CAA_ACCESS_ASSIGNMENTS', old: 'CAA_ACCESS_ASSIGNMENTS_OLD', current: 'CAA_ACCESS_ASSIGNMENTS_NEW' },
  { name: 'publish_visibility', old: 'old_publish_visibility', current: 'new_publish_visibility' },
  { name: 'publish_visibility', old: 'old_publish_visibility_value', current: 'new_publish_visibility_value' },
  { name: 'role', old: 'removed_role', current: 'added_role' },
  { name: 'owner', old: 'old_owner', current: 'new_owner' },
  { name: 'event_title', old: 'old_event_title', current: 'event_title' },
];
