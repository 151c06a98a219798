import { readParameters } from '../google/parameters.ts';
import { firstText, type JsonObject, toList, toObject, toText } from '../json/value.ts';
import { findNewValue, findOldValue, readAuditBody } from './changed-properties.ts';
import { type FactReader, toVisibleText } from './fact-reader.ts';

const additions = [
  'add member to role',
  'add eligible member to role',
  'add scoped member to role',
  'add member to role in pim completed (permanent)',
  'add member to role in pim completed (timebound)',
  'add eligible member to role in pim completed (permanent)',
  'add eligible member to role in pim completed (timebound)',
  'assign_role',
  'grant_admin_privilege',
  'grant_delegated_admin_privileges',
];
const removals = [
  'remove member from role',
  'remove eligible member from role',
  'remove scoped member from role',
  'remove member from role in pim completed (permanent)',
  'remove member from role in pim completed (timebound)',
  'unassign_role',
  'revoke_admin_privilege',
];
export const roleActions = [...additions, ...removals];

/** A privileged role was assigned or removed. */
export const privilegedRole: FactReader = ({ record, activity, row }) => {
  if (activity.outcome === 'failure') return null;
  const google = activity.sourceType === 'googleWorkspace' ? readParameters(toObject(record.events).parameters) : null;
  const targets = toList(readAuditBody(record).targetResources).map(toObject);
  const roleName =
    google?.text('ROLE_NAME') ??
    findNewValue(record, 'Role.DisplayName') ??
    findOldValue(record, 'Role.DisplayName') ??
    toText(targets.find(isOfType('role'))?.displayName);
  if (roleName !== null && !privilegedPattern.test(roleName)) return null;
  const holder = targets.find(isOfType('user', 'serviceprincipal', 'group'));
  const change = removals.includes(row.columns.action.replace(/\.$/, '')) ? 'remove' : 'add';
  return {
    kind: 'privilegedRole',
    facts: {
      roleName: toVisibleText(roleName),
      targetId: toVisibleText(google?.text('USER_EMAIL') ?? firstText(holder?.id, activity.resource.id ?? undefined)),
      actorId: toVisibleText(activity.actor.id),
      change,
    },
  };
};

function isOfType(...types: readonly string[]): (target: JsonObject) => boolean {
  return ({ type }) => types.includes(toText(type)?.toLowerCase() ?? '');
}

/** A role without a name counts as privileged, because nothing shows that it is harmless. */
const privilegedPattern =
  /admin|directory writers|directory synchronization|partner tier|security operator|global reader/i;
