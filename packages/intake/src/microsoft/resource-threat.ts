import type { Resource } from '../activity.ts';
import { firstText, type JsonObject, objectOf } from '../json/value.ts';
import { objectResource } from './resource-object.ts';

/** The mail, link or file that threat intelligence looked at. */
export function threatResource(record: JsonObject): Resource {
  const file = objectOf(record.FileData);
  const document = firstText(file.DocumentId);
  if (document !== null) return { id: document, name: firstText(file.FileName), type: 'file' };
  const url = firstText(record.Url);
  if (url !== null) return { id: url, name: url, type: 'url' };
  const mail = firstText(record.NetworkMessageId, record.InternetMessageId);
  return mail === null ? objectResource(record) : { id: mail, name: firstText(record.Subject), type: 'email' };
}
