import { isObject, type JsonObject } from '../json/value.ts';
import { isRejection } from '../message/rejection.ts';
import { decodeValue } from './decode-value.ts';
import { findRecords, isNamed } from './find-records.ts';
import { type SourceFormatName, sourceShapes } from './source-shapes.ts';

/**
 * Members that tell the records of one format from those of all others; the first format that matches is the record's. More of them than the names of the shape, which
 * only have to tell a record from what wraps it. `name=value` compares the beginning of a text.
 */
const signatures: readonly (readonly [SourceFormatName, ...string[]])[] = [
  ['okta.system-log', 'eventType published actor', 'eventType published uuid', 'eventtype published'],
  [
    'o365.management-activity',
    'CreationTime Operation',
    'AuditData',
    'auditData',
    'auditdata',
    'creationtime operation recordtype',
    'creationTime operation recordType',
  ],
  [
    'google.alertcenter.alert',
    'alertId customerId',
    'alertId securityInvestigationToolLink',
    'alertId source type data',
  ],
  [
    'google.reports.activity',
    'id events actor',
    'id events kind=admin#reports',
    'record_type event_name',
    'id event_name',
    'id name parameters actor',
    'id name kind=admin#reports',
  ],
  [
    'm365d.advanced-hunting',
    'category=AdvancedHunting-',
    'Timestamp ReportId',
    'Timestamp AlertId',
    'Timestamp ActionType',
    'Timestamp NetworkMessageId',
  ],
  ['m365d.agentsinfo', 'AgentId AgentName', 'EntraAgentID', 'EntraAgentId'],
  ['sentinel.security-alert', 'SystemAlertId', 'TimeGenerated AlertName'],
  ['sentinel.security-incident', 'IncidentNumber', 'IncidentName TimeGenerated'],
  [
    'azure.monitor',
    'category properties',
    'category operationName',
    'category resourceId',
    'TimeGenerated Type',
    'TimeGenerated Category',
    'TimeGenerated OperationName',
  ],
  ['mde.alert', 'alertCreationTime'],
  ['m365d.incidents-legacy', 'incidentId alerts', 'incidentId incidentName', 'incidentId alertId'],
  ['graph.security.alert.legacy', 'vendorInformation createdDateTime', 'vendorInformation eventDateTime'],
  ['graph.security.alert', 'serviceSource createdDateTime', 'providerAlertId', 'detectionSource createdDateTime'],
  [
    'graph.security.incident',
    'incidentWebUrl createdDateTime',
    'alerts createdDateTime',
    'alerts lastUpdateDateTime',
    'determination classification createdDateTime',
  ],
  ['graph.aiInteraction', 'interactionType'],
  ['entra.risk.graph', 'riskEventType', 'riskType detectedDateTime', 'detectedDateTime riskLevel'],
  ['graph.riskyServicePrincipal', 'riskState servicePrincipalType', 'riskState appId riskLastUpdatedDateTime'],
  ['graph.riskyUser', 'riskState riskLastUpdatedDateTime userPrincipalName', 'riskState userDisplayName'],
  ['entra.audit.graph', 'activityDateTime initiatedBy', 'activityDateTime activityDisplayName'],
  [
    'entra.signin.graph',
    'createdDateTime appDisplayName ipAddress',
    'createdDateTime status userPrincipalName',
    'createdDateTime conditionalAccessStatus',
  ],
  [
    'exchange.message-trace',
    'MessageTraceId Received',
    'SenderAddress RecipientAddress Received',
    'recipientAddress receivedDateTime',
  ],
  [
    'defender-for-cloud.alert',
    'AlertType',
    'alertType',
    'id properties type=Microsoft.Security',
    'properties id type=/providers/Microsoft.Security',
  ],
  ['graph.message', 'internetMessageId'],
  ['google.directory.user', 'primaryEmail'],
  ['google.directory.group', 'kind=admin#directory#group', 'id email directMembersCount'],
  ['google.drive.file', 'kind=drive#file', 'id name mimeType'],
  ['graph.oauth2permissiongrant', 'clientId scope consentType'],
  ['graph.approleassignment', 'appRoleId principalId'],
  ['graph.subscribedsku', 'skuId skuPartNumber'],
  ['graph.manageddevice', 'azureADDeviceId', 'managedDeviceOwnerType', 'id deviceName operatingSystem'],
  ['graph.device', 'deviceId operatingSystem', 'deviceId trustType', 'deviceId displayName'],
  ['graph.serviceprincipal', 'servicePrincipalType', 'appId servicePrincipalNames', 'appId appOwnerOrganizationId'],
  ['graph.group', 'groupTypes', 'securityEnabled mailEnabled'],
  ['graph.permission', 'id roles grantedToV2', 'id roles grantedTo', 'id link roles'],
  ['graph.driveitem', 'id name parentReference', 'id parentReference file', 'id parentReference folder'],
  ['graph.listitem', 'id fields', 'id contentType parentReference'],
  ['graph.drive', 'id driveType'],
  ['graph.site', 'id webUrl siteCollection', 'id webUrl isPersonalSite', 'id webUrl displayName root'],
  ['powerplatform.bot', 'botid', 'botId', 'cdsBotId'],
  ['graph.user', 'id userPrincipalName'],
];

interface Signature {
  readonly format: SourceFormatName;
  readonly groups: readonly (readonly { readonly name: string; readonly prefix: string | null }[])[];
}

const parsedSignatures: readonly Signature[] = signatures.map(([format, ...groups]) => ({
  format,
  groups: groups.map((group) =>
    group.split(' ').map((member) => {
      const [name, prefix] = member.split('=');
      return { name: name as string, prefix: prefix ?? null };
    }),
  ),
}));

/**
 * The format that the records of a value look like, by the members of its first record; null where none matches. Wrappers are opened as ingestion does. For messages to
 * people: a record is read by the format that its message or its source names.
 */
export function recognizeFormat(bytes: Buffer): SourceFormatName | null {
  const parsed = decodeValue(bytes, 'the value', maxDecodedBytes);
  if (isRejection(parsed)) return null;
  for (const { format, groups } of parsedSignatures) {
    const shape = sourceShapes[format];
    const [record] = findRecords(parsed, shape);
    if (record === undefined || !isObject(record.value) || !isNamed(record.value, shape)) continue;
    const { value } = record;
    if (groups.some((group) => group.every(({ name, prefix }) => hasMember(value, name, prefix)))) return format;
  }
  return null;
}

function hasMember(record: JsonObject, name: string, prefix: string | null): boolean {
  const value = record[name];
  return prefix === null ? value !== undefined : typeof value === 'string' && value.startsWith(prefix);
}

const maxDecodedBytes = 4 * 1_048_576;
