import { noResource, type Resource } from '../activity/activity.ts';
import { lowerFirst } from '../field/case.ts';
import { firstText, type JsonObject, toText } from '../json/value.ts';

/** The common case of most record types: an ObjectId that is a path, a URL or a plain identifier. */
export function readObjectResource(record: JsonObject): Resource {
  const id = firstText(record.ObjectId);
  if (id === null || id === 'Unknown' || id === 'Not Available') return noResource;
  const type = firstText(record.ObjectType, record.ItemType);
  return {
    id,
    name: firstText(record.ObjectDisplayName, record.ObjectName, lastSegment(id)),
    type: type === null ? null : lowerFirst(type),
  };
}

/** Power BI and Fabric have the type of an object in the record. */
export function readAnalyticsResource(record: JsonObject): Resource {
  const type = toText(record.ObjectType);
  return {
    id: firstText(record.ObjectId, record.ArtifactId, record.ItemId),
    name: firstText(record.ObjectDisplayName, record.ArtifactName, record.ItemName),
    type: type === null ? null : lowerFirst(type),
  };
}

/** Power Platform administration: a Copilot Studio agent, a flow, a connector or an environment. */
export function readPowerPlatformResource(record: JsonObject): Resource {
  const found = platformKinds.find(([idMember]) => firstText(record[idMember]) !== null);
  if (found === undefined) return readObjectResource(record);
  const [idMember, nameMember, type] = found;
  return { id: firstText(record[idMember]), name: firstText(record[nameMember]), type };
}

/** The text after the last slash or backslash of a path; the whole path without a slash. */
export function lastSegment(path: string): string {
  let end = path.length;
  while (end > 0 && isSlash(path, end - 1)) end--;
  let start = end;
  while (start > 0 && !isSlash(path, start - 1)) start--;
  return path.slice(start, end) || path;
}

function isSlash(path: string, at: number): boolean {
  return path[at] === '/' || path[at] === '\\';
}

const platformKinds: readonly (readonly [id: string, name: string, type: string])[] = [
  ['BotId', 'BotName', 'agent'],
  ['FlowId', 'FlowName', 'flow'],
  ['ConnectorId', 'ConnectorName', 'connector'],
  ['EnvironmentId', 'EnvironmentName', 'environment'],
];
