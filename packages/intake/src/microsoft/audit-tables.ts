import { decodeJsonText } from '../json/decode-text.ts';
import { isObject, type Json, type JsonObject, toText } from '../json/value.ts';

/** Whether a record is a row of a table of Log Analytics with records of the unified audit log. */
export function isAuditTableRow(row: JsonObject): boolean {
  return row.TimeGenerated !== undefined && row.CreationTime === undefined && isOfAuditTable(row);
}

/** Rows of OfficeActivity and Dynamics365Activity have a column of their own, also where a collector left out the table. */
function isOfAuditTable(row: JsonObject): boolean {
  return row.OfficeWorkload !== undefined || row.LLMEventData !== undefined || auditTables.has(toText(row.Type) ?? '');
}

/**
 * The columns of EnrichedMicrosoft365AuditLogs, from the event that Entra's diagnostic setting sends to an event hub; null for any other record. Its members may
 * begin with a small letter, as those of Entra's other logs do.
 */
export function readEnrichedEvent({ category, properties, ...frame }: JsonObject): JsonObject | null {
  if (!enrichedCategory.test(toText(category) ?? '') || !isObject(properties)) return null;
  const row: { [name: string]: Json } = Object.create(null) as { [name: string]: Json };
  const { operationName: Operation, tenantId: OrganizationId, time } = frame;
  for (const [name, value] of Object.entries(properties))
    row[name.charAt(0).toUpperCase() + name.slice(1)] = value as Json;
  row.Operation ??= Operation as Json;
  row.OrganizationId ??= OrganizationId as Json;
  if (row.CreationTime === undefined) row.TimeGenerated ??= time as Json;
  return row;
}

/**
 * Gives a row the members of the Management Activity API: the tables rename some, write lists and objects as JSON text, and
 * add columns of the workspace.
 */
export function toManagementRecord(row: JsonObject): JsonObject {
  const record: { [name: string]: Json } = Object.create(null) as { [name: string]: Json };
  for (const column of Object.keys(row)) {
    const value = decodeJsonText(row[column]);
    // A row has every column of the table, most of them empty.
    if (value === undefined || value === null || value === '') continue;
    if (ownColumns.has(column) || column.startsWith('_')) continue;
    record[renamed.get(column) ?? column] = value;
  }
  // Members of the record for which EnrichedMicrosoft365AuditLogs has no column.
  const { AdditionalProperties: others } = record;
  if (isObject(others)) {
    for (const [name, value] of Object.entries(others)) record[name] ??= value as Json;
    delete record.AdditionalProperties;
  }
  // The user id of Dataverse is one of its own.
  if (record.SystemUserId !== undefined && record.UserUpn !== undefined) record.UserId = record.UserUpn;
  // Rows of interactions and settings of Copilot have no operation; that of their record type has its name.
  if (record.Operation === undefined && record.RecordType !== undefined) record.Operation = record.RecordType;
  return record;
}

const enrichedCategory = /^Enriched(?:Office|Microsoft)365AuditLogs$/i;
/** Of the workspace and not of the record. `TenantId` is the workspace. */
const ownColumns: ReadonlySet<string> = new Set(
  'TenantId SourceSystem Type MG ManagementGroupName Computer RawData OfficeTenantId OfficeTenantId_'.split(' '),
);
const auditTables: ReadonlySet<string> = new Set(
  `OfficeActivity CopilotActivity LLMActivity DataverseActivity Dynamics365Activity
  EnrichedMicrosoft365AuditLogs MicrosoftPurviewInformationProtection PowerAppsActivity
  PowerAutomateActivity PowerBIActivity PowerPlatformAdminActivity PowerPlatformConnectorActivity PowerPlatformDlpActivity
  ProjectActivity`.split(/\s+/),
);
/** Where a row has two of the ids, the later one of the row counts. */
const renamed: ReadonlyMap<string, string> = new Map(
  Object.entries({
    TimeGenerated: 'CreationTime',
    SourceRecordId: 'Id',
    OfficeId: 'Id',
    RecordId: 'Id',
    EventOriginalUid: 'Id',
    OfficeObjectId: 'ObjectId',
    OfficeWorkload: 'Workload',
    ActorName: 'UserId',
    ActorUserId: 'UserKey',
    ActorUserType: 'UserType',
    SrcIpAddr: 'ClientIP',
    ClientIp: 'ClientIP',
    Client_IPAddress: 'ClientIPAddress',
    EventOriginalType: 'Operation',
    EventResult: 'ResultStatus',
    DeviceOperatingSystem: 'OSName',
    Event_Data: 'EventData',
    LLMEventData: 'CopilotEventData',
    LogVersion: 'CopilotLogVersion',
    Logon_Type: 'LogonType',
    RecipientUpn: 'RecipientUPN',
    PbiWorkspaceName: 'WorkSpaceName',
    Site_: 'Site',
    Site_Url: 'SiteUrl',
    Source_Name: 'SourceName',
    Start_Time: 'StartTime',
  }),
);
