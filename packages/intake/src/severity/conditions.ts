import { readParameters } from '../google/parameters.ts';
import { booleanOf, firstText, integerOf, type JsonObject, listOf, objectOf, textOf } from '../json/value.ts';
import { forwardedOutside, parameter } from '../microsoft/forwarding.ts';
import type { Occurrence } from './severity.ts';

/** Switches the unified audit log or the organization's mailbox auditing off. */
export function stopsAuditing({ record }: Occurrence): boolean {
  return (
    isParameter(record, 'UnifiedAuditLogIngestionEnabled', false) ||
    isParameter(record, 'AdminAuditLogEnabled', false) ||
    isParameter(record, 'AuditDisabled', true)
  );
}

/** Takes one mailbox out of auditing. */
export function hidesMailbox({ record, actorType }: Occurrence): boolean {
  if (actorType === 'system') return false;
  return isParameter(record, 'AuditBypassEnabled', true) || isParameter(record, 'AuditEnabled', false);
}

export function grantsGlobalAdministrator({ record }: Occurrence): boolean {
  return newValues(record, (name) => name.startsWith('Role.')).some((value) => globalAdministrator.test(value));
}

export function isAdminConsent({ record }: Occurrence): boolean {
  return newValues(record, (name) => name === 'ConsentContext.IsAdminConsent').some((value) => /true/i.test(value));
}

/** Forwards or redirects mail to an address outside. */
export function forwardsOutside({ record }: Occurrence): boolean {
  return forwardedOutside(record).length > 0;
}

/** Full access to a mailbox for someone other than who gives it; Exchange gives it to its own machinery all the time. */
export function grantsFullAccessToAnother({ record, actorType }: Occurrence): boolean {
  if (actorType === 'system' || !/FullAccess/i.test(textOf(parameter(record, 'AccessRights')) ?? '')) return false;
  return textOf(parameter(record, 'User'))?.toLowerCase() !== textOf(record.UserId)?.toLowerCase();
}

/** «Detected» means that a classifier fired, not that anything was blocked. */
export function attackOnModelDetected({ record }: Occurrence): boolean {
  const event = objectOf(record.CopilotEventData);
  return (
    listOf(event.Messages).some((message) => booleanOf(objectOf(message).JailbreakDetected) === true) ||
    listOf(event.AccessedResources).some((resource) => booleanOf(objectOf(resource).XPIADetected) === true)
  );
}

export function targetsGuest({ record }: Occurrence): boolean {
  return textOf(record.TargetUserOrGroupType) === 'Guest' || /#EXT#/i.test(textOf(record.TargetUserOrGroupName) ?? '');
}

/** A document of Google Drive that people outside, or whoever has the link, can open from now on. */
export function sharesOutside({ record }: Occurrence): boolean {
  return openVisibilities.has(readParameters(record.parameters).text('visibility') ?? '');
}

export function lockedOut({ record }: Occurrence): boolean {
  const status = objectOf(record.status ?? objectOf(record.properties).status);
  return (
    firstText(record.LogonError) === 'IdsLocked' ||
    [record.ErrorNumber, status.errorCode, record.resultType].some((code) => integerOf(code) === accountLocked)
  );
}

/** A sign-in that was refused, not one that merely asked for a second factor. */
export function failed({ ending }: Occurrence): boolean {
  return ending === 'failure';
}

export function isNotMachinery({ actorType }: Occurrence): boolean {
  return actorType !== 'system';
}

function isParameter(record: JsonObject, name: string, value: boolean): boolean {
  return booleanOf(parameter(record, name)) === value;
}

/** New values of modified properties: the Management API has them in the record, Entra in each target. */
function newValues(record: JsonObject, isMeant: (name: string) => boolean): string[] {
  const targets = listOf(record.targetResources ?? objectOf(record.properties).targetResources);
  return [record.ModifiedProperties, ...targets.map((target) => objectOf(target).modifiedProperties)]
    .flatMap(listOf)
    .map(objectOf)
    .filter((property) => isMeant(firstText(property.Name, property.displayName) ?? ''))
    .flatMap((property) => firstText(property.NewValue, property.newValue) ?? []);
}

/** Its names in Entra and in the older directory, and the id of the role's template. */
const globalAdministrator =
  /Global Administrator|Company Administrator|TenantAdmins|62e90394-69f5-4237-9190-012177145e10/i;
const openVisibilities: ReadonlySet<string> = new Set(['shared_externally', 'people_with_link', 'public_on_the_web']);
const accountLocked = 50053;
