import type { Resource } from '../activity/activity.ts';
import { firstText, type Json, type JsonObject, toInteger, toText } from '../json/value.ts';
import { lastSegment, readObjectResource } from './resource-object.ts';

/** A file, folder, page, list, list item, field or site of SharePoint or OneDrive, by ItemType. */
export function readSharePointResource(record: JsonObject): Resource {
  const type = readItemType(record.ItemType);
  if (type === null) return readObjectResource(record);
  const url = toText(record.ObjectId);
  if (type === 'site') {
    return { id: firstText(record.Site, record.WebId, url), name: firstText(record.SiteUrl, url), type };
  }
  if (type === 'list' || type === 'documentLibrary') {
    return { id: firstText(record.ListId, url), name: firstText(record.ListTitle, url && lastSegment(url)), type };
  }
  return {
    id: firstText(record.ListItemUniqueId, url),
    name: firstText(record.SourceFileName, url && lastSegment(url)),
    type,
  };
}

/** ItemType comes as text or as the number of its enumeration. */
function readItemType(value: Json | undefined): string | null {
  const number = toInteger(value);
  const name = number === null ? toText(value) : itemTypeNumbers.get(number);
  return itemTypes.get(name ?? '') ?? null;
}

const itemTypes = new Map([
  ['DocumentLibrary', 'documentLibrary'],
  ['Field', 'field'],
  ['File', 'file'],
  ['Folder', 'folder'],
  ['List', 'list'],
  ['ListItem', 'listItem'],
  ['Page', 'page'],
  ['Site', 'site'],
  ['Tenant', 'tenant'],
  ['Web', 'site'],
]);
const itemTypeNumbers = new Map([
  [1, 'File'],
  [5, 'Folder'],
  [6, 'Web'],
  [7, 'Site'],
  [8, 'Tenant'],
  [9, 'DocumentLibrary'],
  [11, 'Page'],
]);
