import type { AuditLogEvent } from '@tenantscope/contract';
import { isEmail } from './texts.ts';

/** A user, a group or another object that an event is about. */
export interface Participant {
  readonly id: string | null;
  readonly name: string | null;
  readonly type: string | null;
}

/** `UserGroup` of Okta is a group. */
export const isUserType = /^(?!.*group).*(?:user|guest|member|account)/i;
const isGroupType = /group|team|site/i;

/** The resource or target of a type. */
export function findTarget(event: AuditLogEvent, type: RegExp): Participant | undefined {
  const { targets, resourceId, resourceName, resourceType } = event;
  const all = [{ id: resourceId, name: resourceName, type: resourceType }, ...(targets ?? [])];
  return all.find((one) => type.test(one.type ?? '') && (one.id !== null || one.name !== null));
}

/** The account that was changed: a target, or one that a change names. */
export function findAccount(event: AuditLogEvent): Participant | undefined {
  const target = findTarget(event, isUserType);
  if (target !== undefined) return target;
  const id = readChange(event, 'User.ObjectID');
  return id === null ? undefined : { id, name: readChange(event, 'User.UPN'), type: 'user' };
}

/** Whom a group has gained or lost: an account, also one without a type, as Teams names members. */
export function findMember(event: AuditLogEvent): Participant | undefined {
  const account = findAccount(event);
  if (account !== undefined || !membership.test(event.action)) return account;
  return event.targets?.find(({ type }) => type === null);
}

/** The group of an event about a group or its members. */
export function findGroup(event: AuditLogEvent): Participant | undefined {
  // SharePoint names the group of a site; the resource is the site.
  const ofSite = event.details?.['EventData.Group'];
  if (ofSite) return { id: null, name: ofSite, type: 'group' };
  const target = findTarget(event, isGroupType);
  const id = target?.id ?? readChange(event, 'Group.ObjectID');
  const name = readChange(event, 'Group.DisplayName') ?? target?.name ?? null;
  return id === null && name === null ? undefined : { id, name, type: 'group' };
}

/**
 * The address of the sender of a mail: the actor, unless the record names another. Gmail logs what happens in a mailbox, whose owner
 * is the actor and mostly the recipient; a delegate of Exchange sends as the owner of a mailbox.
 */
export function findSender({ actorName, sourceName, details }: AuditLogEvent): string | null {
  for (const member of senderMembers) {
    const address = details?.[member] ?? null;
    if (isEmail(address)) return address;
  }
  return sourceName !== 'gmail' && isEmail(actorName) ? actorName : null;
}

/** The value of a change of a name, as directories write it; of what was removed, the value before. */
export function readChange({ changes, details }: AuditLogEvent, name: string): string | null {
  const change = changes?.find((one) => one.name === name);
  return change?.after ?? change?.before ?? details?.[name] ?? null;
}

const membership = /member/i;
/** Of Gmail, of Exchange, and of Defender's mails. */
const senderMembers = ['message_info.source.address', 'SendAsUserSmtp', 'SendOnBehalfOfUserSmtp', 'P2Sender'];
