import { noResource, type Resource } from '../activity/activity.ts';
import { lowerFirst } from '../field/case.ts';
import { firstText, type JsonObject } from '../json/value.ts';

/** The common case of most record types: an ObjectId that is a path, a URL or a plain identifier, else members of their own. */
export function readObjectResource(record: JsonObject): Resource {
  const id = firstText(record.ObjectId);
  if (id === null || id === 'Unknown' || id === 'Not Available')
    return findByMembers(record, objectKinds) ?? noResource;
  const type = firstText(record.ObjectType, record.ItemType);
  return {
    id,
    name: firstText(record.ObjectDisplayName, record.ObjectName, lastSegment(id)),
    type: type === null ? null : lowerFirst(type),
  };
}

/** Power BI and Fabric have the type of an object in the record, else in the names of its members. */
export function readAnalyticsResource(record: JsonObject): Resource {
  const id = firstText(record.ObjectId, record.ArtifactId, record.ItemId);
  const name = firstText(record.ObjectDisplayName, record.ArtifactName, record.ItemName);
  if (id === null) {
    const own = findByMembers(record, analyticsKinds);
    if (own !== undefined) return { ...own, name: own.name ?? name };
  }
  const type = firstText(record.ObjectType, record.ArtifactKind);
  return { id, name, type: type === null ? null : lowerFirst(type) };
}

/** Power Platform administration: a Copilot Studio agent, a flow, a connector or an environment. */
export function readPowerPlatformResource(record: JsonObject): Resource {
  return findByMembers(record, platformKinds) ?? readObjectResource(record);
}

function findByMembers(record: JsonObject, kinds: readonly Kind[]): Resource | undefined {
  const found = kinds.find(([idMember]) => firstText(record[idMember]) !== null);
  if (found === undefined) return undefined;
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

type Kind = readonly [id: string, name: string, type: string];

/** Of Forms, Power Automate, the quarantine and Dynamics 365. */
const objectKinds: readonly Kind[] = [
  ['FormId', 'FormName', 'form'],
  ['FlowDetailsUrl', 'FlowName', 'flow'],
  ['NetworkMessageId', 'Subject', 'email'],
  ['EntityId', 'PrimaryFieldValue', 'entity'],
];
const analyticsKinds: readonly Kind[] = [
  ['ReportId', 'ReportName', 'report'],
  ['DashboardId', 'DashboardName', 'dashboard'],
  ['DatasetId', 'DatasetName', 'dataset'],
  ['DataflowId', 'DataflowName', 'dataflow'],
  ['WorkspaceId', 'WorkSpaceName', 'workspace'],
];
const platformKinds: readonly Kind[] = [
  ['BotId', 'BotName', 'agent'],
  ['FlowId', 'FlowName', 'flow'],
  ['ConnectorId', 'ConnectorName', 'connector'],
  ['EnvironmentId', 'EnvironmentName', 'environment'],
];
