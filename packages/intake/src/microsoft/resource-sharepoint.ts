import type { Resource } from '../activity.ts';
import { firstText, integerOf, type Json, type JsonObject, textOf } from '../json/value.ts';
import { lastSegment, objectResource } from './resource-object.ts';

/** A file, folder, page, list, list item, field or site of SharePoint or OneDrive, by ItemType. */
export function fileResource(record: JsonObject): Resource {
  const type = itemTypeOf(record.ItemType);
  if (type === null) return objectResource(record);
  const url = textOf(record.ObjectId);
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
function itemTypeOf(value: Json | undefined): string | null {
  const number = integerOf(value);
  const name = number === null ? textOf(value) : itemTypeNumbers.get(number);
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
