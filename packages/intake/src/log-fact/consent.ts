import { firstGuid } from '../field/guid.ts';
import type { JsonObject } from '../json/value.ts';
import { changedTo } from './changed-properties.ts';
import { type FactReader, mostItems, shown } from './log-fact.ts';

const toApplication = 'consent to application';
const appRole = 'add app role assignment to service principal';
export const consentActions = [toApplication, appRole, 'add delegated permission grant', 'add oauth2permissiongrant'];

/** That an app may do something from now on, and who let it. */
export const consent: FactReader = ({ record, activity, row }) => {
  if (activity.outcome === 'failure') return null;
  const action = row.columns.action.replace(/\.$/, '');
  const { resource, actor } = activity;
  const names = changedTo(record, 'TargetId.ServicePrincipalNames');
  // The target of a consent is the app; of a grant it is what the app may use.
  const isApp = action === toApplication;
  const clientId = firstGuid(
    changedTo(record, 'ServicePrincipal.AppId'),
    ...(isApp ? (names?.slice(0, longestSearched).split(';') ?? []) : []),
  );
  return {
    kind: 'consent',
    facts: {
      clientId,
      objectId: shown(changedTo(record, 'ServicePrincipal.ObjectID') ?? (isApp ? resource.id : null)),
      adminConsent: isByAdministrator(record, action),
      permissions: permissionsOf(record, action)
        .slice(0, mostItems)
        .map((name) => shown(name)),
      resourceName: isApp ? null : shown(resource.name),
      actorId: shown(actor.id),
      actorName: shown(actor.name),
    },
  };
};

function isByAdministrator(record: JsonObject, action: string): boolean {
  if (action === appRole) return true;
  if (action === toApplication) return /^true$/i.test(changedTo(record, 'ConsentContext.IsAdminConsent') ?? '');
  return changedTo(record, 'DelegatedPermissionGrant.ConsentType') === 'AllPrincipals';
}

function permissionsOf(record: JsonObject, action: string): string[] {
  if (action === appRole) return wordsOf(changedTo(record, 'AppRole.Value') ?? changedTo(record, 'AppRole.Id'));
  if (action !== toApplication) return wordsOf(changedTo(record, 'DelegatedPermissionGrant.Scope'));
  // «[what was granted] => [[Id: …, ConsentType: …, Scope:  User.Read Mail.Read]]»
  const granted = changedTo(record, 'ConsentAction.Permissions')?.slice(0, longestSearched).split('=>').at(-1) ?? '';
  return [...new Set([...granted.matchAll(/Scope: ?([^,\]]*)/g)].flatMap(([, scope]) => wordsOf(scope ?? '')))];
}

function wordsOf(text: string | null): string[] {
  return (text ?? '')
    .slice(0, longestSearched)
    .split(/\s+/)
    .filter((word) => word !== '');
}

const longestSearched = 16_384;
