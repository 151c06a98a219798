import type { Resource } from '../activity.ts';
import type { JsonObject } from '../json/value.ts';
import { agentResource } from './resource-agent.ts';
import { alertResource, dlpResource } from './resource-compliance.ts';
import { directoryResource, signInResource } from './resource-directory.ts';
import { mailboxAdministration, mailboxResource, mailResource } from './resource-exchange.ts';
import { analyticsResource, objectResource, platformResource } from './resource-object.ts';
import { fileResource } from './resource-sharepoint.ts';
import { teamsResource } from './resource-teams.ts';
import { threatResource } from './resource-threat.ts';

/** What a Management Activity record acted on; each record type keeps it in members of its own. */
export function readResource(record: JsonObject, recordType: number | null, action: string | null): Resource {
  const reader = recordType === null ? undefined : readers.get(recordType);
  return reader === undefined ? objectResource(record) : reader(record, action);
}

type ResourceReader = (record: JsonObject, action: string | null) => Resource;

const readers = new Map<number, ResourceReader>([
  ...forTypes(mailboxAdministration, 1, 18),
  ...forTypes(mailResource, 2, 3),
  ...forTypes(mailboxResource, 50),
  ...forTypes(fileResource, 4, 6, 7, 14, 36, 37, 54, 55, 56),
  ...forTypes(directoryResource, 8),
  ...forTypes(signInResource, 15),
  ...forTypes(teamsResource, 25, 57),
  ...forTypes(dlpResource, 11, 13, 33, 63, 107),
  ...forTypes(alertResource, 40, 64, 98),
  ...forTypes(threatResource, 28, 41, 47),
  ...forTypes(analyticsResource, 20, 357),
  ...forTypes(platformResource, 256),
  ...forTypes(agentResource, 261, 284, 328, 334),
]);

function forTypes(reader: ResourceReader, ...types: readonly number[]): [number, ResourceReader][] {
  return types.map((type) => [type, reader]);
}
