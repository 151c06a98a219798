import type { Resource } from '../activity/activity.ts';
import { firstText, isObject, type JsonObject, toObject, toText } from '../json/value.ts';
import { lastSegment, readObjectResource } from './resource-object.ts';

/** The match of a data loss prevention rule: a mail, a file in SharePoint or OneDrive, or a file on a device. */
export function readDlpResource(record: JsonObject): Resource {
  const mail = record.ExchangeMetaData;
  if (isObject(mail)) {
    return { id: firstText(mail.MessageID, record.ObjectId), name: toText(mail.Subject), type: 'email' };
  }
  const file = record.SharePointMetaData;
  if (isObject(file)) {
    const id = firstText(file.UniqueID, file.UniqueId, record.ObjectId);
    return { id, name: firstText(file.FileName), type: 'file' };
  }
  const path = toText(record.ObjectId);
  if (!isObject(record.EndpointMetaData) || path === null) return readObjectResource(record);
  return { id: path, name: lastSegment(path), type: 'file' };
}

/** An alert of the compliance center or of Cloud Apps, or an automated investigation. */
export function readAlertResource(record: JsonObject): Resource {
  const alert = firstText(record.AlertId);
  if (alert !== null) return { id: alert, name: firstText(record.Name), type: 'alert' };
  const investigation = firstText(record.InvestigationId, toObject(record.Data).InvestigationId);
  if (investigation === null) return readObjectResource(record);
  return { id: investigation, name: firstText(record.InvestigationName), type: 'investigation' };
}
