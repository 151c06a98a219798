import { firstGuid } from '../field/guid.ts';
import type { JsonObject } from '../json/value.ts';
import { findNewValue } from './changed-properties.ts';
import { type FactReader, maxItems, toVisibleText } from './fact-reader.ts';

const consentToApplication = 'consent to application';
const assignAppRole = 'add app role assignment to service principal';
export const consentActions = [
  consentToApplication,
  assignAppRole,
  'add delegated permission grant',
  'add oauth2permissiongrant',
];

/** A consent: an application receives permissions, and who granted them. */
export const consent: FactReader = ({ record, activity, row }) => {
  if (activity.outcome === 'failure') return null;
  const action = row.columns.action.replace(/\.$/, '');
  const { resource, actor } = activity;
  const names = findNewValue(record, 'TargetId.ServicePrincipalNames');
  // The target of a consent is the app; the target of a grant is the resource that the app may use.
  const isApp = action === consentToApplication;
  const clientId = firstGuid(
    findNewValue(record, 'ServicePrincipal.AppId'),
    ...(isApp ? (names?.slice(0, maxSearchedLength).split(';') ?? []) : []),
  );
  return {
    kind: 'consent',
    facts: {
      clientId,
      objectId: toVisibleText(findNewValue(record, 'ServicePrincipal.ObjectID') ?? (isApp ? resource.id : null)),
      adminConsent: isAdminConsent(record, action),
      permissions: readPermissions(record, action)
        .slice(0, maxItems)
        .map((name) => toVisibleText(name)),
      resourceName: isApp ? null : toVisibleText(resource.name),
      actorId: toVisibleText(actor.id),
      actorName: toVisibleText(actor.name),
    },
  };
};

function isAdminConsent(record: JsonObject, action: string): boolean {
  if (action === assignAppRole) return true;
  if (action === consentToApplication)
    return /^true$/i.test(findNewValue(record, 'ConsentContext.IsAdminConsent') ?? '');
  return findNewValue(record, 'DelegatedPermissionGrant.ConsentType') === 'AllPrincipals';
}

function readPermissions(record: JsonObject, action: string): string[] {
  if (action === assignAppRole)
    return splitScopes(findNewValue(record, 'AppRole.Value') ?? findNewValue(record, 'AppRole.Id'));
  if (action !== consentToApplication) return splitScopes(findNewValue(record, 'DelegatedPermissionGrant.Scope'));
  // `[previous grants] => [[Id: …, ConsentType: …, Scope:  User.Read Mail.Read]]`
  const granted =
    findNewValue(record, 'ConsentAction.Permissions')?.slice(0, maxSearchedLength).split('=>').at(-1) ?? '';
  return [...new Set([...granted.matchAll(/Scope: ?([^,\]]*)/g)].flatMap(([, scope]) => splitScopes(scope ?? '')))];
}

function splitScopes(text: string | null): string[] {
  return (text ?? '')
    .slice(0, maxSearchedLength)
    .split(/\s+/)
    .filter((word) => word !== '');
}

const maxSearchedLength = 16_384;
