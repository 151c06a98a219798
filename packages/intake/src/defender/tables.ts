import { parseUserAgentProduct } from '../field/user-agent.ts';
import { firstText } from '../json/value.ts';
import { readAccount } from './account.ts';
import { alertTables } from './alert-tables.ts';
import { readCloudAppEvent } from './cloud-app-events.ts';
import { readCloudAuditEvent } from './cloud-audit-events.ts';
import { deviceTables, readDevice, readOtherDeviceTable } from './device-tables.ts';
import { emailTables } from './email-tables.ts';
import { graphTables } from './graph-tables.ts';
import { identityTables, readLocation } from './identity-tables.ts';
import { signInTables } from './sign-in-tables.ts';
import type { TableReader } from './table-reading.ts';

export interface Table {
  readonly workload: string;
  readonly read: TableReader;
  readonly isListed: boolean;
}

/** The reader of a table. A table that is not listed is read by the columns that all tables share. */
export function getTable(name: string): Table {
  const table = tables.get(name);
  if (table !== undefined) return table;
  return name.startsWith('Device')
    ? { workload: workloads.endpoint, read: readOtherDeviceTable, isListed: false }
    : { workload: 'MicrosoftDefender', read: readCommonColumns, isListed: false };
}

const readCommonColumns: TableReader = (row) => ({
  actor: readAccount(row, ''),
  actorIp: row.address('IPAddress', 'IpAddress', 'RemoteIP'),
  resource: { id: row.text('ResourceId', 'AzureResourceId', 'ObjectId'), name: row.text('ObjectName'), type: null },
  device: readDevice(row),
  clientApp: parseUserAgentProduct(firstText(row.columns.UserAgent, row.columns.UserAgentHeader)),
  context: { userAgent: row.text('UserAgent', 'UserAgentHeader'), location: readLocation(row) },
});

const workloads = {
  endpoint: 'MicrosoftDefenderForEndpoint',
  office: 'MicrosoftDefenderForOffice365',
  identity: 'MicrosoftDefenderForIdentity',
  cloudApps: 'MicrosoftDefenderForCloudApps',
} as const;

const tables = new Map<string, Table>([
  ...toEntries(workloads.endpoint, deviceTables),
  ...toEntries(workloads.office, emailTables),
  ...toEntries(workloads.identity, identityTables),
  ...toEntries(workloads.cloudApps, [['CloudAppEvents', readCloudAppEvent]]),
  ...toEntries('MicrosoftDefenderForCloud', [['CloudAuditEvents', readCloudAuditEvent]]),
  ...toEntries('AzureActiveDirectory', signInTables),
  ...toEntries('MicrosoftGraph', graphTables),
  ...toEntries('MicrosoftDefender', alertTables),
]);

function toEntries(
  workload: string,
  readers: readonly (readonly [table: string, read: TableReader])[],
): [string, Table][] {
  return readers.map(([name, read]) => [name, { workload, read, isListed: true }]);
}
