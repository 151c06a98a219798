import type { Activity } from '../activity/activity.ts';
import { firstText, type JsonObject, toList, toObject } from '../json/value.ts';
import { includesText } from './conditions.ts';

export function grantsGlobalAdministrator(activity: Activity, record: JsonObject): boolean {
  return (
    listNewValues(activity, record, isRoleName).some((value) => globalAdministrator.test(value)) ||
    activity.context.targets.some(
      ({ type, name }) => type === 'Role' && name !== null && globalAdministrator.test(name),
    )
  );
}

export function grantsPrivilegedRole(activity: Activity, record: JsonObject): boolean {
  return (
    listNewValues(activity, record, isRoleName).some((value) => privilegedRole.test(value)) ||
    activity.context.targets.some(({ type, name }) => type === 'Role' && name !== null && privilegedRole.test(name))
  );
}

export function isAdminConsent(activity: Activity, record: JsonObject): boolean {
  return listNewValues(activity, record, (name) => name === 'ConsentContext.IsAdminConsent').some((value) =>
    /true/i.test(value),
  );
}

/** A grant that reads or writes mail and files, or changes the directory. */
export function grantsWidePermission(activity: Activity, record: JsonObject): boolean {
  return listNewValues(activity, record, (name) => permissionNames.has(name)).some((value) =>
    widePermission.test(value.slice(0, valueMax)),
  );
}

/** A policy that required multifactor authentication no longer does, or is no longer enforced. */
export function weakensAccessPolicy({ context }: Activity): boolean {
  return context.changes.some(
    ({ before, after }) =>
      (requiresSecondFactor(before) && !requiresSecondFactor(after)) ||
      (includesText(before, '"state":"enabled"') && !includesText(after, '"state":"enabled"')),
  );
}

/** By its controls: policies themselves are often named MFA. */
function requiresSecondFactor(policy: string | null): boolean {
  return policy !== null && secondFactor.test(policy.slice(0, valueMax));
}

/** The address from which keys of an identity provider are read becomes another one. */
export function changesDiscoveryUrl({ context }: Activity): boolean {
  return context.changes.some(
    ({ before, after }) =>
      (includesText(before, 'discoveryurl') || includesText(after, 'discoveryurl')) && before !== after,
  );
}

/** `Update user.` that removes the phone, the app or the requirement of the second factor. */
export function removesStrongAuthentication(activity: Activity, record: JsonObject): boolean {
  return listChanged(activity, record).some(
    ({ name, before, after }) =>
      name.startsWith('StrongAuthentication') && (before?.length ?? 0) > emptyList && (after?.length ?? 0) <= emptyList,
  );
}

export function makesGuestMember(activity: Activity, record: JsonObject): boolean {
  return listChanged(activity, record).some(
    ({ name, before, after }) => name === 'UserType' && includesText(before, 'guest') && includesText(after, 'member'),
  );
}

interface ChangedValue {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Modified properties: the context has them where the format fills it, records of the Management API in any case. */
function listChanged({ context }: Activity, record: JsonObject): ChangedValue[] {
  if (context.changes.length > 0)
    return context.changes.map(({ name, before, after }) => ({ name: name ?? '', before, after }));
  return toList(record.ModifiedProperties)
    .map(toObject)
    .map((property) => ({
      name: firstText(property.Name) ?? '',
      before: firstText(property.OldValue),
      after: firstText(property.NewValue),
    }));
}

function listNewValues(activity: Activity, record: JsonObject, isMeant: (name: string) => boolean): string[] {
  return listChanged(activity, record).flatMap(({ name, after }) => (after !== null && isMeant(name) ? [after] : []));
}

const isRoleName = (name: string): boolean => name.startsWith('Role.');
/** Its names in Entra and in the older directory, and the id of the role's template. */
const globalAdministrator =
  /Global Administrator|Company Administrator|TenantAdmins|62e90394-69f5-4237-9190-012177145e10/i;
/** Roles that can take over accounts, applications or policies, as Microsoft marks them privileged. */
const privilegedRole =
  /Privileged (?:Role|Authentication) Administrator|Authentication Administrator|(?:Cloud )?Application Administrator|Conditional Access Administrator|Exchange Administrator|SharePoint Administrator|Security Administrator|Hybrid Identity Administrator|Intune Administrator|User Administrator|Helpdesk Administrator|Password Administrator|Partner Tier2 Support/i;
const permissionNames: ReadonlySet<string> = new Set([
  'ConsentAction.Permissions',
  'DelegatedPermissionGrant.Scope',
  'AppRole.Value',
]);
const widePermission =
  /Mail\.(?:Read|Send)|Mail\.ReadWrite|Files\.ReadWrite|Files\.Read\.All|Sites\.FullControl|Sites\.ReadWrite\.All|Directory\.(?:ReadWrite|AccessAsUser)|RoleManagement\.ReadWrite|AppRoleAssignment\.ReadWrite|Application\.ReadWrite|full_access_as_app|EWS\.AccessAsUser/;
const secondFactor = /"builtInControls":\s{0,9}\[[^\]]{0,256}"mfa"|"authenticationStrength":\s{0,9}\{/i;
/** `[]` and `""`. */
const emptyList = 2;
const valueMax = 16_384;
