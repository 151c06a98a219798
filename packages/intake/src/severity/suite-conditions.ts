import { readAccountName } from '../activity/account-name.ts';
import type { Activity } from '../activity/activity.ts';
import { firstText, type JsonObject, toBoolean, toList, toObject, toText } from '../json/value.ts';
import { findExternalForwards, readParameter, readRuleActions } from '../microsoft/forwarding.ts';
import { isBlockOverridden } from '../microsoft/link-click.ts';
import { isNotSystem } from './conditions.ts';

/** Disables the unified audit log or the organization's mailbox auditing. */
export function stopsAuditing(_: Activity, record: JsonObject): boolean {
  return (
    isParameter(record, 'UnifiedAuditLogIngestionEnabled', false) ||
    isParameter(record, 'AdminAuditLogEnabled', false) ||
    isParameter(record, 'AuditDisabled', true)
  );
}

/** Excludes a mailbox from auditing. */
export function hidesMailbox(activity: Activity, record: JsonObject): boolean {
  if (!isNotSystem(activity)) return false;
  return isParameter(record, 'AuditBypassEnabled', true) || isParameter(record, 'AuditEnabled', false);
}

/** Forwards or redirects mail to an external address. */
export function forwardsOutside(_: Activity, record: JsonObject): boolean {
  return findExternalForwards(record).length > 0;
}

/** A rule that deletes messages, or moves or marks them where their owner does not look. */
export function hidesMessages(_: Activity, record: JsonObject): boolean {
  if (isParameter(record, 'DeleteMessage', true) || isParameter(record, 'SoftDeleteMessage', true)) return true;
  if (deletion.test(readRuleActions(record)?.slice(0, searchedMax) ?? '')) return true;
  const folder = toText(readParameter(record, 'MoveToFolder'))?.toLowerCase() ?? '';
  return unreadFolders.some((name) => folder.includes(name));
}

/** Grants full access to a mailbox to another user than the grantor; Exchange constantly grants it to its own services. */
export function grantsFullAccessToAnother(activity: Activity, record: JsonObject): boolean {
  if (!isNotSystem(activity) || !/FullAccess/i.test(toText(readParameter(record, 'AccessRights')) ?? '')) return false;
  return toText(readParameter(record, 'User'))?.toLowerCase() !== toText(record.UserId)?.toLowerCase();
}

/** Goes on from the page of Safe Links that blocks a link. */
export function opensBlockedLink(_: Activity, record: JsonObject): boolean {
  return isBlockOverridden(record);
}

/** "Detected" means that a classifier fired, not that anything was blocked. */
export function detectsAttackOnModel({ context }: Activity, record: JsonObject): boolean {
  if (context.ai !== null) return context.ai.jailbreak === true || context.ai.crossPromptInjection === true;
  const event = toObject(record.CopilotEventData);
  return (
    toList(event.Messages).some((message) => toBoolean(toObject(message).JailbreakDetected) === true) ||
    toList(event.AccessedResources).some((resource) => toBoolean(toObject(resource).XPIADetected) === true)
  );
}

export function targetsGuest(_: Activity, record: JsonObject): boolean {
  return (
    toText(record.TargetUserOrGroupType) === 'Guest' ||
    readAccountName(toText(record.TargetUserOrGroupName) ?? '')?.isGuest === true
  );
}

/** Disables one of the filters of Exchange Online Protection or Defender. */
export function disablesProtection(_: Activity, record: JsonObject): boolean {
  return protections.some((name) => isParameter(record, name, false));
}

/** Teams may be reached from other organizations or by personal accounts. */
export function opensFederation(_: Activity, record: JsonObject): boolean {
  return (
    isParameter(record, 'AllowFederatedUsers', true) ||
    isParameter(record, 'AllowPublicUsers', true) ||
    isParameter(record, 'AllowTeamsConsumer', true) ||
    isParameter(record, 'EnableFederationAccess', true) ||
    isParameter(record, 'EnableTeamsConsumerAccess', true)
  );
}

/** A channel or chat with members of other organizations. */
export function addsForeignMember(_: Activity, record: JsonObject): boolean {
  return toList(record.Members).some((member) => /#EXT#/i.test(firstText(toObject(member).UPN) ?? ''));
}

/** @param value what the parameter of the cmdlet must be */
function isParameter(record: JsonObject, name: string, value: boolean): boolean {
  const text = readParameter(record, name);
  return toBoolean(typeof text === 'string' ? text.replace(/^\$/, '') : text) === value;
}

/** `Delete` and `PermanentDelete`, as Outlook writes them. */
const deletion = /"ActionType":\s?"\w{0,32}Delete/;
const searchedMax = 16_384;
const unreadFolders = [
  'rss',
  'conversation history',
  'archive',
  'junk',
  'deleted items',
  'notes',
  'recoverable',
] as const;
const protections = [
  'Enabled',
  'EnableSafeLinksForEmail',
  'EnableSafeLinksForTeams',
  'EnableSafeLinksForOffice',
  'EnableATPForSPOTeamsODB',
  'ZapEnabled',
  'EnableFileFilter',
] as const;
