import type { Activity } from '../activity/activity.ts';
import { getDetail, includesText } from './conditions.ts';
import type { Condition } from './severity-rule.ts';

/** A document of Google Drive or a report of Looker Studio becomes accessible to external users or to anyone with the link. */
export function sharesOutside(activity: Activity): boolean {
  const visibility = getDetail(activity, 'visibility') ?? getDetail(activity, 'VISIBILITY');
  return openVisibilities.has(visibility?.toLowerCase() ?? '');
}

/** A document is published outside the organization; its visibility without the publication can remain. */
export function publishesOutside(activity: Activity): boolean {
  const visibility =
    getDetail(activity, 'new_publish_visibility') ?? getDetail(activity, 'new_publish_visibility_value');
  return openVisibilities.has(visibility?.toLowerCase() ?? '');
}

/** @param part of the setting's name, in lower case */
export function isSetting(part: string): Condition {
  return (activity) => includesText(getDetail(activity, 'SETTING_NAME'), part);
}

/** @param value in lower case */
export function setsTo(part: string, ...values: readonly string[]): Condition {
  return (activity) =>
    includesText(getDetail(activity, 'SETTING_NAME'), part) &&
    values.includes(getDetail(activity, 'NEW_VALUE')?.toLowerCase() ?? '');
}

/** Google names the role of super administrators like this. */
export function assignsSuperAdmin({ context }: Activity): boolean {
  return context.targets.some(({ name, type }) => type === 'role' && name === '_SEED_ADMIN_ROLE');
}

/** An application is authorized for all mail, all files, the directory or the whole cloud. */
export function grantsMailOrDrive(activity: Activity): boolean {
  return activity.context.details.some(([name, value]) => name === 'scope' && wideScopes.test(value));
}

/** A calendar becomes visible to everyone. */
export function sharesCalendarPublicly(activity: Activity): boolean {
  return includesText(getDetail(activity, 'grantee_email'), '__public_principal__');
}

/** Attachments of a message that Gmail took for spam were downloaded. */
export function downloadsFromSpam(activity: Activity): boolean {
  return isSpam(activity) && attachmentDownloads.has(getDetail(activity, 'event_info.mail_event_type') ?? '');
}

/** A link in a message that Gmail took for spam was followed. */
export function followsLinkInSpam(activity: Activity): boolean {
  return isSpam(activity) && linkClicks.has(getDetail(activity, 'event_info.mail_event_type') ?? '');
}

/** A setting of the organization delivered a message that the spam filter would have kept back. */
export function bypassesSpamFilter(activity: Activity): boolean {
  return getDetail(activity, 'message_info.message_set.type') === spamFilterBypassed;
}

/** The server refused the message for its content. */
export function isRefusedAsMalicious(activity: Activity): boolean {
  return maliciousResponses.has(getDetail(activity, 'message_info.connection_info.smtp_response_reason') ?? '');
}

/** The message was delivered although nothing shows that it comes from its sender. */
export function isUnauthenticated(activity: Activity): boolean {
  if (activity.outcome !== 'success') return false;
  const failed = (name: string) => getDetail(activity, `message_info.connection_info.${name}`) === 'false';
  return failed('dmarc_pass') || (failed('spf_pass') && failed('dkim_pass'));
}

function isSpam(activity: Activity): boolean {
  return getDetail(activity, 'message_info.is_spam') === 'true';
}

const wideScopes =
  /https:\/\/mail\.google\.com\/|\/auth\/(?:gmail\.(?:modify|readonly|compose|send|insert|settings)|drive(?:\.readonly)?(?![.\w])|admin\.|cloud-platform)/;
const openVisibilities: ReadonlySet<string> = new Set(['shared_externally', 'people_with_link', 'public_on_the_web']);
/** Numbers of Gmail's log: events after delivery, sets of messages, and reasons of an SMTP response. */
const linkClicks: ReadonlySet<string> = new Set(['15', '16']);
const attachmentDownloads: ReadonlySet<string> = new Set(['17', '18', '19']);
const spamFilterBypassed = '46';
/** Malware, blatant spam, denial of service, malicious links. A low reputation of the sender is an everyday reason. */
const maliciousResponses: ReadonlySet<string> = new Set(['3', '13', '14', '15']);
