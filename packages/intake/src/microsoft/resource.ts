import type { Resource } from '../activity.ts';
import type { JsonObject } from '../json/value.ts';
import { recordTypes } from './record-type.ts';
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
  ...forTypes(mailboxAdministration, ['ExchangeAdmin', 'SecurityComplianceCenterEOPCmdlet']),
  ...forTypes(mailResource, ['ExchangeItem', 'ExchangeItemGroup']),
  ...forTypes(mailboxResource, ['ExchangeItemAggregated']),
  ...forTypes(fileResource, [
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
  ...forTypes(directoryResource, ['AzureActiveDirectory']),
  ...forTypes(signInResource, ['AzureActiveDirectoryStsLogon']),
  ...forTypes(teamsResource, ['MicrosoftTeams', 'MicrosoftTeamsAdmin']),
  ...forTypes(dlpResource, [
    'ComplianceDLPSharePoint',
    'ComplianceDLPExchange',
    'ComplianceDLPSharePointClassification',
    'DLPEndpoint',
    'ComplianceDLPExchangeClassification',
  ]),
  ...forTypes(alertResource, ['SecurityComplianceAlerts', 'AirInvestigation', 'MCASAlerts']),
  ...forTypes(threatResource, ['ThreatIntelligence', 'ThreatIntelligenceUrl', 'ThreatIntelligenceAtpContent']),
  ...forTypes(analyticsResource, ['PowerBIAudit', 'PowerBIFabric']),
  ...forTypes(platformResource, ['PowerPlatformAdministratorActivity']),
  ...forTypes(agentResource, [
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
