import { decodeJsonText } from '../json/decode-text.ts';
import { isObject, type Json, type JsonObject, toText } from '../json/value.ts';

/** Whether a record is a row of a Log Analytics table: flat, with a time of its own name. */
export function isTableRow(record: JsonObject): boolean {
  return record.TimeGenerated !== undefined && record.time === undefined && record.properties === undefined;
}

/**
 * Gives a row of a table the shape in which Azure Monitor sends the same record to an event hub: columns of the frame
 * under the frame's names, the others under `properties` with a lower-case first letter. Dynamic columns may be JSON text.
 */
export function nestTableRow(row: JsonObject): JsonObject {
  const table = toText(row.Type);
  const listed = table === null ? undefined : categories.get(table);
  const retainsNames = table?.startsWith('Intune') === true;
  const frame: { [name: string]: Json } = {};
  const properties: { [name: string]: Json } = Object.create(null) as { [name: string]: Json };
  for (const column of Object.keys(row)) {
    const value = decodeJsonText(row[column]);
    if (value === undefined || ownColumns.has(column) || column.startsWith('_') || isCopy(row, column)) continue;
    const framed = frameColumns.get(column);
    if (framed !== undefined && !isObject(value)) frame[framed] = value;
    else if ((column === 'Properties' || column === 'Properties_d') && isObject(value))
      Object.assign(properties, value);
    else properties[retainsNames ? column : toMember(column)] = value;
  }
  const category = listed ?? toText(row.CategoryValue) ?? toText(row.Category) ?? table;
  // The table of audits has the category of the audit itself.
  if (table === 'AuditLogs' && row.Category !== undefined) properties.category = row.Category;
  return { ...frame, ...(category === null ? {} : { category }), properties };
}

/** AzureActivity has some objects twice, as JSON text and as `Claims_d`: together they have more members than a row shows. */
function isCopy(row: JsonObject, column: string): boolean {
  return column.endsWith('_d') && isObject(decodeJsonText(row[column.slice(0, -2)]));
}

function toMember(column: string): string {
  return renamed.get(column) ?? `${column.charAt(0).toLowerCase()}${column.slice(1)}`;
}

/** Of the workspace and not of the record. `TenantId` is the workspace, and `AADTenantId` the tenant. */
const ownColumns: ReadonlySet<string> = new Set(
  `TenantId SourceSystem Type Category CategoryValue MG ManagementGroupName Computer RawData ResourceGroup`.split(' '),
);
const frameColumns: ReadonlyMap<string, string> = new Map(
  Object.entries({
    TimeGenerated: 'time',
    OperationName: 'operationName',
    OperationNameValue: 'operationName',
    OperationVersion: 'operationVersion',
    AADTenantId: 'tenantId',
    AadTenantId: 'tenantId',
    ResultType: 'resultType',
    ActivityStatusValue: 'resultType',
    ResultSignature: 'resultSignature',
    ResultDescription: 'resultDescription',
    CorrelationId: 'correlationId',
    CallerIpAddress: 'callerIpAddress',
    DurationMs: 'durationMs',
    Identity: 'identity',
    Caller: 'caller',
    Level: 'Level',
    Location: 'location',
    ResourceId: 'resourceId',
  }),
);
const renamed: ReadonlyMap<string, string> = new Map(
  Object.entries({
    AADOperationType: 'operationType',
    Authorization_d: 'authorization',
    Claims_d: 'claims',
    ConditionalAccessPolicies: 'appliedConditionalAccessPolicies',
    IPAddress: 'ipAddress',
    LocationDetails: 'location',
    MfaDetail: 'mfaDetail',
    ResourceIdentity: 'resourceId',
    RiskEventTypes_V2: 'riskEventTypes_v2',
  }),
);
/** The category of the diagnostic setting that fills a table. */
const categories: ReadonlyMap<string, string> = new Map(
  Object.entries({
    SigninLogs: 'SignInLogs',
    AADNonInteractiveUserSignInLogs: 'NonInteractiveUserSignInLogs',
    AADServicePrincipalSignInLogs: 'ServicePrincipalSignInLogs',
    AADManagedIdentitySignInLogs: 'ManagedIdentitySignInLogs',
    AADProvisioningLogs: 'ProvisioningLogs',
    AADRiskyUsers: 'RiskyUsers',
    AADUserRiskEvents: 'UserRiskEvents',
    AADRiskyServicePrincipals: 'RiskyServicePrincipals',
    AADServicePrincipalRiskEvents: 'ServicePrincipalRiskEvents',
    AADGraphActivityLogs: 'AzureADGraphActivityLogs',
    ADFSSignInLogs: 'ADFSSignInLogs',
    AuditLogs: 'AuditLogs',
    IntuneAuditLogs: 'IntuneAuditLogs',
    IntuneDeviceComplianceOrg: 'IntuneDeviceComplianceOrg',
    IntuneDevices: 'IntuneDevices',
    IntuneOperationalLogs: 'IntuneOperationalLogs',
    MicrosoftGraphActivityLogs: 'MicrosoftGraphActivityLogs',
    NetworkAccessTraffic: 'NetworkAccessTrafficLogs',
  }),
);
