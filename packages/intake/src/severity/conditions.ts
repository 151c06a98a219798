import { readParameters } from '../google/parameters.ts';
import { firstText, type JsonObject, toBoolean, toInteger, toList, toObject, toText } from '../json/value.ts';
import { findExternalForwards, readParameter } from '../microsoft/forwarding.ts';
import type { SeverityInput } from './severity-input.ts';

/** Disables the unified audit log or the organization's mailbox auditing. */
export function stopsAuditing({ record }: SeverityInput): boolean {
  return (
    isParameter(record, 'UnifiedAuditLogIngestionEnabled', false) ||
    isParameter(record, 'AdminAuditLogEnabled', false) ||
    isParameter(record, 'AuditDisabled', true)
  );
}

/** Excludes a mailbox from auditing. */
export function hidesMailbox({ record, actorType }: SeverityInput): boolean {
  if (actorType === 'system') return false;
  return isParameter(record, 'AuditBypassEnabled', true) || isParameter(record, 'AuditEnabled', false);
}

export function grantsGlobalAdministrator({ record }: SeverityInput): boolean {
  return listNewValues(record, (name) => name.startsWith('Role.')).some((value) => globalAdministrator.test(value));
}

export function isAdminConsent({ record }: SeverityInput): boolean {
  return listNewValues(record, (name) => name === 'ConsentContext.IsAdminConsent').some((value) => /true/i.test(value));
}

/** Forwards or redirects mail to an external address. */
export function forwardsOutside({ record }: SeverityInput): boolean {
  return findExternalForwards(record).length > 0;
}

/** Grants full access to a mailbox to another user than the grantor; Exchange constantly grants it to its own services. */
export function grantsFullAccessToAnother({ record, actorType }: SeverityInput): boolean {
  if (actorType === 'system' || !/FullAccess/i.test(toText(readParameter(record, 'AccessRights')) ?? '')) return false;
  return toText(readParameter(record, 'User'))?.toLowerCase() !== toText(record.UserId)?.toLowerCase();
}

/** "Detected" means that a classifier fired, not that anything was blocked. */
export function detectsAttackOnModel({ record }: SeverityInput): boolean {
  const event = toObject(record.CopilotEventData);
  return (
    toList(event.Messages).some((message) => toBoolean(toObject(message).JailbreakDetected) === true) ||
    toList(event.AccessedResources).some((resource) => toBoolean(toObject(resource).XPIADetected) === true)
  );
}

export function targetsGuest({ record }: SeverityInput): boolean {
  return toText(record.TargetUserOrGroupType) === 'Guest' || /#EXT#/i.test(toText(record.TargetUserOrGroupName) ?? '');
}

/** A document of Google Drive becomes accessible to external users or to anyone with the link. */
export function sharesOutside({ record }: SeverityInput): boolean {
  return openVisibilities.has(readParameters(record.parameters).text('visibility') ?? '');
}

export function isLockedOut({ record }: SeverityInput): boolean {
  const status = toObject(record.status ?? toObject(record.properties).status);
  return (
    firstText(record.LogonError) === 'IdsLocked' ||
    [record.ErrorNumber, status.errorCode, record.resultType].some((code) => toInteger(code) === accountLocked)
  );
}

/** A sign-in that was rejected, not one that merely requested a second factor. */
export function isFailed({ result }: SeverityInput): boolean {
  return result === 'failure';
}

export function isNotSystem({ actorType }: SeverityInput): boolean {
  return actorType !== 'system';
}

function isParameter(record: JsonObject, name: string, value: boolean): boolean {
  return toBoolean(readParameter(record, name)) === value;
}

/** New values of modified properties: the Management API has them in the record, Entra in each target. */
function listNewValues(record: JsonObject, isMeant: (name: string) => boolean): string[] {
  const targets = toList(record.targetResources ?? toObject(record.properties).targetResources);
  return [record.ModifiedProperties, ...targets.map((target) => toObject(target).modifiedProperties)]
    .flatMap(toList)
    .map(toObject)
    .filter((property) => isMeant(firstText(property.Name, property.displayName) ?? ''))
    .flatMap((property) => firstText(property.NewValue, property.newValue) ?? []);
}

/** Its names in Entra and in the older directory, and the id of the role's template. */
const globalAdministrator =
  /Global Administrator|Company Administrator|TenantAdmins|62e90394-69f5-4237-9190-012177145e10/i;
const openVisibilities: ReadonlySet<string> = new Set(['shared_externally', 'people_with_link', 'public_on_the_web']);
const accountLocked = 50053;
