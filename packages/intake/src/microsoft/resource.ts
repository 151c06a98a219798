import { noResource, type Resource } from '../activity/activity.ts';
import type { JsonObject } from '../json/value.ts';
import { isAgentOperation } from './ai-interaction.ts';
import { recordTypes } from './record-type.ts';
import { readAgentResource } from './resource-agent.ts';
import { readAlertResource, readDlpResource } from './resource-compliance.ts';
import { readDirectoryResource, readSignInResource } from './resource-directory.ts';
import { readExchangeAdminResource, readMailboxResource, readMailResource } from './resource-exchange.ts';
import { readAnalyticsResource, readObjectResource, readPowerPlatformResource } from './resource-object.ts';
import { readSharePointResource } from './resource-sharepoint.ts';
import { readTeamsResource } from './resource-teams.ts';
import { readThreatResource } from './resource-threat.ts';

/** The resource of a Management Activity record; each record type has it in different members. */
export function readResource(record: JsonObject, recordType: number | null, action: string | null): Resource {
  const reader = recordType === null ? undefined : readers.get(recordType);
  if (reader !== undefined) return reader(record, action);
  const agent = isAgentOperation(action) ? readAgentResource(record) : noResource;
  return agent.id === null ? readObjectResource(record) : agent;
}

type ResourceReader = (record: JsonObject, action: string | null) => Resource;

const readers = new Map<number, ResourceReader>([
  ...forTypes(readExchangeAdminResource, ['ExchangeAdmin', 'SecurityComplianceCenterEOPCmdlet']),
  ...forTypes(readMailResource, ['ExchangeItem', 'ExchangeItemGroup']),
  ...forTypes(readMailboxResource, ['ExchangeItemAggregated']),
  ...forTypes(readSharePointResource, [
    'SharePoint',
    'SharePointFileOperation',
    'OneDrive',
    'SharePointSharingOperation',
    'SharePointListOperation',
    'SharePointCommentOperation',
    'SharePointListItemOperation',
    'SharePointContentTypeOperation',
    'SharePointFieldOperation',
  ]),
  ...forTypes(readDirectoryResource, ['AzureActiveDirectory']),
  ...forTypes(readSignInResource, ['AzureActiveDirectoryStsLogon']),
  ...forTypes(readTeamsResource, ['MicrosoftTeams', 'MicrosoftTeamsAdmin']),
  ...forTypes(readDlpResource, [
    'ComplianceDLPSharePoint',
    'ComplianceDLPExchange',
    'ComplianceDLPSharePointClassification',
    'DLPEndpoint',
    'ComplianceDLPExchangeClassification',
  ]),
  ...forTypes(readAlertResource, ['SecurityComplianceAlerts', 'AirInvestigation', 'MCASAlerts']),
  ...forTypes(readThreatResource, ['ThreatIntelligence', 'ThreatIntelligenceUrl', 'ThreatIntelligenceAtpContent']),
  ...forTypes(readAnalyticsResource, ['PowerBIAudit', 'PowerBIFabric']),
  ...forTypes(readPowerPlatformResource, ['PowerPlatformAdministratorActivity']),
  ...forTypes(readAgentResource, [
    'CopilotInteraction',
    'AIAppInteraction',
    'ConnectedAIAppInteraction',
    'TeamCopilotInteraction',
  ]),
]);

function forTypes(
  reader: ResourceReader,
  names: readonly (keyof typeof recordTypes)[],
): (readonly [number, ResourceReader])[] {
  return names.map((name) => [recordTypes[name], reader]);
}
