import { azureTenantId } from './message.ts';

/** Records as Azure Monitor sends them to an event hub, one of each category. Values are made up. */
export interface AzureRecord {
  readonly [name: string]: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}

const ada = '7d2f4c7e-5b0a-4f0e-9a55-1c2d3e4f5a6b';
const appId = '3a1b9d20-0000-4000-8000-000000000777';

function framed(
  category: string,
  operationName: string,
  properties: Record<string, unknown>,
  changes = {},
): AzureRecord {
  return {
    time: '2026-11-20T09:00:00Z',
    resourceId: `/tenants/${azureTenantId}/providers/Microsoft.aadiam`,
    operationName,
    category,
    tenantId: azureTenantId,
    resultSignature: 'None',
    correlationId: 'correlation-1',
    ...changes,
    properties,
  };
}

const risk = {
  id: 'risk-1',
  riskEventType: 'anonymizedIPAddress',
  riskState: 'atRisk',
  riskLevel: 'high',
  riskDetail: 'none',
  source: 'IdentityProtection',
  detectionTimingType: 'realtime',
  activityDateTime: '2026-11-20T08:00:00Z',
};

export const userRisk = framed('UserRiskEvents', 'User Risk Detection', {
  ...risk,
  ipAddress: '203.0.113.7',
  location: { city: 'Lublin', countryOrRegion: 'PL', geoCoordinates: { latitude: 51.25, longitude: 22.57 } },
  userId: ada,
  userPrincipalName: 'ada@contoso.example',
  additionalInfo: '[{"Key":"userAgent","Value":"Mozilla/5.0 Firefox/120.0"},{"Key":"mitreTechniques","Value":"T1090"}]',
});

export const riskyUser = framed('RiskyUsers', 'Risky user', {
  id: ada,
  userPrincipalName: 'ada@contoso.example',
  riskLastUpdatedDateTime: '2026-11-20T9:00:00Z',
  riskState: 'confirmedCompromised',
  riskLevel: 'low',
  isGuest: false,
});

export const serviceRisk = framed('ServicePrincipalRiskEvents', 'Service principal risk detection', {
  ...risk,
  riskLevel: 'medium',
  servicePrincipalId: 'sp-1',
  servicePrincipalDisplayName: 'Robot',
  appId,
});

export const riskyService = framed('RiskyServicePrincipals', 'Risky service principal', {
  id: 'sp-1',
  appId,
  displayName: 'Robot',
  riskState: 'dismissed',
  riskLevel: 'none',
});

export const provisioning = framed(
  'ProvisioningLogs',
  'Provisioning activity',
  {
    id: 'provisioning-1',
    activityDateTime: '2026-11-20T08:15:30.5Z',
    jobId: 'job-1',
    provisioningAction: 'create',
    initiatedBy: { Type: 'system', Id: '', Name: 'Azure AD Provisioning Service' },
    sourceIdentity: { identityType: 'User', Id: 'u-1', Name: 'Ada' },
    targetIdentity: { identityType: 'urn:ietf:params:scim:schemas:core:2.0:User', Id: 'x-1', Name: '' },
    provisioningStatusInfo: { Status: 'failure', errorInformation: { errorCode: 'Duplicate', reason: 'It exists.' } },
    provisioningSteps: [{ name: 'EntryExportAdd', description: 'The user could not be created' }, null],
    modifiedProperties: [{ displayName: 'userName', oldValue: null, newValue: 'ada' }],
  },
  { resultType: 'Failure' },
);

export const graphRequest = framed('MicrosoftGraphActivityLogs', 'Microsoft Graph Activity', {
  requestId: 'request-1',
  requestMethod: 'DELETE',
  requestUri: 'https://graph.microsoft.com/v1.0/users/7?$select=id',
  responseStatusCode: 403,
  servicePrincipalId: 'sp-1',
  appId,
  ipAddress: '203.0.113.7',
  userAgent: 'python-requests/2.27.1',
  signInActivityId: 'token-1',
  scopes: null,
  roles: 'User.ReadWrite.All',
});

/** No record was published: the columns of the table `NetworkAccessTraffic` in camel case. */
export const traffic = framed('NetworkAccessTrafficLogs', 'Network traffic', {
  action: 'Denied',
  userId: ada,
  userPrincipalName: 'ada@contoso.example',
  sourceIp: '203.0.113.7',
  destinationFqdn: 'malware.example',
  destinationPort: 443,
  deviceId: 'd-1',
  deviceOperatingSystem: 'Windows',
  deviceOperatingSystemVersion: '11',
  policyName: 'Block malware',
  threatType: 'Malware',
  transactionId: 'transaction-1',
  sessionId: 'session-1',
});

/** Not among the published records: the shape that Microsoft's documentation and public collectors show. */
export const intuneAudit: AzureRecord = {
  time: '2026-11-20T09:00:00Z',
  tenantId: azureTenantId,
  category: 'AuditLogs',
  operationName: 'Assign DeviceConfiguration',
  resultType: 'Success',
  resultDescription: 'None',
  correlationId: 'correlation-1',
  properties: {
    ActivityDate: '11/20/2026 8:15:30 AM',
    ActivityResultStatus: 1,
    ActivityType: 3,
    Actor: {
      ActorType: 1,
      Application: appId,
      ApplicationName: 'Microsoft Intune portal extension',
      ObjectId: ada,
      UPN: 'ada@contoso.example',
      UserPermissions: ['*'],
    },
    AuditEventId: 'audit-1',
    TargetObjectIds: ['configuration-1', '00000000-0000-0000-0000-000000000000'],
    TargetDisplayNames: ['Bitlocker', '<null>'],
    Targets: [{ Name: 'Bitlocker', ModifiedProperties: [{ Name: 'State', Old: 'off', New: 'on' }] }],
  },
};

/** Not among the published records, as the one before. */
export const intuneOperation: AzureRecord = {
  time: '2026-11-20T09:00:00Z',
  tenantId: azureTenantId,
  category: 'OperationalLogs',
  operationName: 'Enrollment',
  resultType: 'Failure',
  properties: {
    IntuneDeviceId: 'd-1',
    DeviceName: 'LAPTOP-12',
    Os: 'Windows',
    IntuneUserId: ada,
    UPN: 'ada@contoso.example',
    FailureReason: 'DeviceNotSupported',
  },
};

/** Not among the published records, as the one before. */
export const intuneDevice: AzureRecord = {
  time: '2026-11-20T09:00:00Z',
  tenantId: azureTenantId,
  category: 'DeviceComplianceOrg',
  operationName: 'DeviceCompliance',
  properties: {
    DeviceId: 'd-1',
    DeviceName: 'LAPTOP-12',
    OS: 'Windows',
    UPN: 'ada@contoso.example',
    ComplianceState: 'Not compliant',
    DeviceHealthThreatLevel: 'High',
  },
};

export const azureActivity: AzureRecord = {
  time: '2026-11-20T09:00:00Z',
  category: 'Administrative',
  operationName: 'MICROSOFT.STORAGE/STORAGEACCOUNTS/DELETE',
  resourceId: '/SUBSCRIPTIONS/S/RESOURCEGROUPS/G/PROVIDERS/MICROSOFT.STORAGE/STORAGEACCOUNTS/BACKUP',
  resultType: 'Failure',
  resultSignature: 'Failed.Forbidden',
  callerIpAddress: '203.0.113.7',
  correlationId: 'correlation-1',
  level: 'Error',
  identity: {
    authorization: { scope: '/subscriptions/s', evidence: { role: 'Owner', principalType: 'User' } },
    claims: {
      appid: appId,
      'http://schemas.microsoft.com/identity/claims/objectidentifier': ada,
      'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn': 'ada@contoso.example',
    },
  },
  properties: { eventCategory: 'Administrative', statusCode: '403', statusMessage: 'Forbidden' },
};

export const unlisted = framed(
  'RemoteNetworkHealthLogs',
  'Tunnel health',
  { id: 'health-1', sourceIp: '203.0.113.7', bgpRoutesAdvertisedCount: 4 },
  { resultType: 'Success' },
);
