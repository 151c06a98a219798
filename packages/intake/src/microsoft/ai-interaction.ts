import { firstText, type JsonObject, toText } from '../json/value.ts';

/** Whether the AI was refused a resource. A classifier that fired alone blocks nothing. */
export function isRefused(resource: JsonObject): boolean {
  return refusals.has(toText(resource.Status)?.toLowerCase() ?? '');
}

/** The id of the file entity, where there is one. */
export function readAiResourceId(resource: JsonObject): string | null {
  return firstText(resource.listItemUniqueId, resource.ListItemUniqueId, resource.Id, resource.ID);
}

const refusals: ReadonlySet<string> = new Set(['failure', 'failed', 'blocked', 'denied']);
