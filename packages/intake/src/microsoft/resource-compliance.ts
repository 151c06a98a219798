import type { Resource } from '../activity.ts';
import { firstText, isObject, type JsonObject, objectOf, textOf } from '../json/value.ts';
import { lastSegment, objectResource } from './resource-object.ts';

/** What a data loss prevention rule matched: a mail, a file in SharePoint or OneDrive, a file on a device. */
export function dlpResource(record: JsonObject): Resource {
  const mail = record.ExchangeMetaData;
  if (isObject(mail)) {
    return { id: firstText(mail.MessageID, record.ObjectId), name: textOf(mail.Subject), type: 'email' };
  }
  const file = record.SharePointMetaData;
  if (isObject(file)) {
    const id = firstText(file.UniqueID, file.UniqueId, record.ObjectId);
    return { id, name: firstText(file.FileName), type: 'file' };
  }
  const path = textOf(record.ObjectId);
  if (!isObject(record.EndpointMetaData) || path === null) return objectResource(record);
  return { id: path, name: lastSegment(path), type: 'file' };
}

/** An alert of the compliance center or of Cloud Apps, or an automated investigation. */
export function alertResource(record: JsonObject): Resource {
  const alert = firstText(record.AlertId);
  if (alert !== null) return { id: alert, name: firstText(record.Name), type: 'alert' };
  const investigation = firstText(record.InvestigationId, objectOf(record.Data).InvestigationId);
  if (investigation === null) return objectResource(record);
  return { id: investigation, name: firstText(record.InvestigationName), type: 'investigation' };
}
