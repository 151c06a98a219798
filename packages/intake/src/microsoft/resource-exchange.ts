import { noResource, type Resource } from '../activity.ts';
import { firstText, type JsonObject, listOf, objectOf, textOf } from '../json/value.ts';
import { lastSegment } from './resource-object.ts';

/** A cmdlet of Exchange or of the compliance center; its noun tells the kind of thing. */
export function mailboxAdministration(record: JsonObject, action: string | null): Resource {
  const id = textOf(record.ObjectId);
  const noun = action?.split('-')[1] ?? '';
  return { id, name: id === null ? null : lastSegment(id), type: nouns.get(noun) ?? 'exchangeConfig' };
}

/** One message, or the mailbox where several were touched at once. */
export function mailResource(record: JsonObject): Resource {
  const affected = listOf(record.AffectedItems);
  const item = objectOf(affected.length === 1 ? affected[0] : record.Item);
  const id = affected.length > 1 ? null : firstText(item.InternetMessageId, item.Id);
  return id === null ? mailboxResource(record) : { id, name: textOf(item.Subject), type: 'email' };
}

export function mailboxResource(record: JsonObject): Resource {
  const id = textOf(record.MailboxGuid);
  const name = textOf(record.MailboxOwnerUPN);
  return id === null && name === null ? noResource : { id, name, type: 'mailbox' };
}

const nouns = new Map([
  ['Mailbox', 'mailbox'],
  ['MailboxPermission', 'mailbox'],
  ['InboxRule', 'inboxRule'],
  ['TransportRule', 'transportRule'],
]);
