import type { Resource } from '../activity/activity.ts';
import { firstText, type JsonObject, toObject } from '../json/value.ts';
import { readObjectResource } from './resource-object.ts';

/** The mail, link or file that threat intelligence examined. */
export function readThreatResource(record: JsonObject): Resource {
  const file = toObject(record.FileData);
  const document = firstText(file.DocumentId);
  if (document !== null) return { id: document, name: firstText(file.FileName), type: 'file' };
  const url = firstText(record.URL, record.Url);
  if (url !== null) return { id: url, name: url, type: 'url' };
  const mail = firstText(record.NetworkMessageId, record.InternetMessageId);
  return mail === null ? readObjectResource(record) : { id: mail, name: firstText(record.Subject), type: 'email' };
}
