import { readParameters } from '../google/parameters.ts';
import { firstText, type JsonObject, listOf, objectOf, textOf } from '../json/value.ts';
import { auditBody, changedFrom, changedTo } from './changed-properties.ts';
import { type FactReader, shown } from './log-fact.ts';

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

/** That somebody got or lost a role that opens much. */
export const privilegedRole: FactReader = ({ record, activity, row }) => {
  if (activity.outcome === 'failure') return null;
  const google = activity.sourceType === 'googleWorkspace' ? readParameters(objectOf(record.events).parameters) : null;
  const targets = listOf(auditBody(record).targetResources).map(objectOf);
  const roleName =
    google?.text('ROLE_NAME') ??
    changedTo(record, 'Role.DisplayName') ??
    changedFrom(record, 'Role.DisplayName') ??
    textOf(targets.find(isOf('role'))?.displayName);
  if (roleName !== null && !privileged.test(roleName)) return null;
  const holder = targets.find(isOf('user', 'serviceprincipal', 'group'));
  const change = removals.includes(row.columns.action.replace(/\.$/, '')) ? 'remove' : 'add';
  return {
    kind: 'privilegedRole',
    facts: {
      roleName: shown(roleName),
      targetId: shown(google?.text('USER_EMAIL') ?? firstText(holder?.id, activity.resource.id ?? undefined)),
      actorId: shown(activity.actor.id),
      change,
    },
  };
};

function isOf(...types: readonly string[]): (target: JsonObject) => boolean {
  return ({ type }) => types.includes(textOf(type)?.toLowerCase() ?? '');
}

/** A role without a name cannot be shown to be harmless, so it counts. */
const privileged = /admin|directory writers|directory synchronization|partner tier|security operator|global reader/i;
