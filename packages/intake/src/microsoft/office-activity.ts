import { decodeJsonText } from '../json/decode-text.ts';
import type { Json, JsonObject } from '../json/value.ts';

/** Whether a record is a row of OfficeActivity, the table of Log Analytics with the unified audit log. */
export function isOfficeActivityRow(row: JsonObject): boolean {
  return row.TimeGenerated !== undefined && row.CreationTime === undefined && row.OfficeWorkload !== undefined;
}

/**
 * Gives a row of OfficeActivity the members of the Management Activity API: the table renames some, writes lists and objects as
 * JSON text, and adds columns of the workspace.
 */
export function toManagementRecord(row: JsonObject): JsonObject {
  const record: { [name: string]: Json } = Object.create(null) as { [name: string]: Json };
  for (const column of Object.keys(row)) {
    const value = decodeJsonText(row[column]);
    // A row has every column of the table, most of them empty.
    if (value === undefined || value === null || value === '') continue;
    if (!ownColumns.has(column) && !column.startsWith('_')) record[renamed.get(column) ?? column] = value;
  }
  return record;
}

/** Of the workspace and not of the record. `TenantId` is the workspace. */
const ownColumns: ReadonlySet<string> = new Set(
  'TenantId SourceSystem Type MG ManagementGroupName Computer RawData OfficeTenantId OfficeTenantId_'.split(' '),
);
const renamed: ReadonlyMap<string, string> = new Map(
  Object.entries({
    TimeGenerated: 'CreationTime',
    OfficeId: 'Id',
    OfficeObjectId: 'ObjectId',
    OfficeWorkload: 'Workload',
    Client_IPAddress: 'ClientIPAddress',
    Event_Data: 'EventData',
    Logon_Type: 'LogonType',
    Site_: 'Site',
    Site_Url: 'SiteUrl',
    Source_Name: 'SourceName',
    Start_Time: 'StartTime',
  }),
);
