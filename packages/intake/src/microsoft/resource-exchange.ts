import { noResource, type Resource } from '../activity/activity.ts';
import { firstText, type JsonObject, toList, toObject, toText } from '../json/value.ts';
import { lastSegment } from './resource-object.ts';

/** A cmdlet of Exchange or of the compliance center; its noun gives the type of resource. */
export function readExchangeAdminResource(record: JsonObject, action: string | null): Resource {
  const id = toText(record.ObjectId);
  const noun = action?.split('-')[1] ?? '';
  return { id, name: id === null ? null : lastSegment(id), type: nouns.get(noun) ?? 'exchangeConfig' };
}

/** One message, the folder whose permissions change, or the mailbox where one record concerns several messages. */
export function readMailResource(record: JsonObject): Resource {
  const affected = toList(record.AffectedItems);
  const item = toObject(affected.length === 1 ? affected[0] : record.Item);
  const folder = toObject(item.ParentFolder);
  if (folder.MemberRights !== undefined) {
    return { id: firstText(folder.Id, item.Id), name: firstText(folder.Path, folder.Name), type: 'mailFolder' };
  }
  const id = affected.length > 1 ? null : firstText(item.InternetMessageId, item.Id);
  return id === null ? readMailboxResource(record) : { id, name: toText(item.Subject), type: 'email' };
}

export function readMailboxResource(record: JsonObject): Resource {
  const id = toText(record.MailboxGuid);
  const name = toText(record.MailboxOwnerUPN);
  return id === null && name === null ? noResource : { id, name, type: 'mailbox' };
}

const nouns = new Map([
  ['Mailbox', 'mailbox'],
  ['MailboxPermission', 'mailbox'],
  ['InboxRule', 'inboxRule'],
  ['TransportRule', 'transportRule'],
]);
