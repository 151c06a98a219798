import type { Activity, ActivityContext } from '../activity.ts';
import { firstParty } from './first-party.ts';

const exported = { by: 'anyone', feed: 'entra', weight: 1, schedule: 'any hour', delay: 'minutes' } as const;

/** Logs that Azure Monitor exports next to sign-ins and audits. */
export const azureMonitorActivities: readonly Activity[] = [
  {
    ...exported,
    format: 'entra.risk.azuremonitor',
    record: (context) => frame(context, 'UserRiskEvents', 'User Risk Detection', riskDetection(context)),
  },
  { ...exported, format: 'entra.risk.graph', record: riskDetection },
  {
    ...exported,
    format: 'entra.provisioning.azuremonitor',
    record: (context) => frame(context, 'ProvisioningLogs', 'Provisioning activity', provisioning(context)),
  },
  {
    ...exported,
    weight: 4,
    format: 'graph.activity.azuremonitor',
    record: (context) => frame(context, 'MicrosoftGraphActivityLogs', 'Microsoft Graph Activity', request(context)),
  },
  { ...exported, format: 'azure.activity.azuremonitor', by: 'admin', record: operation },
  {
    ...exported,
    format: 'azure.monitor',
    by: 'admin',
    schedule: 'office hours',
    record: (context) => frame(context, 'AuditLogs', 'Assign DeviceConfiguration', deviceConfiguration(context)),
  },
];

function frame(context: ActivityContext, category: string, operationName: string, properties: object) {
  const { company, atMs, random } = context;
  return {
    time: new Date(atMs).toISOString(),
    resourceId: `/tenants/${company.plan.azureTenantId}/providers/Microsoft.aadiam`,
    operationName,
    operationVersion: '1.0',
    category,
    tenantId: company.plan.azureTenantId,
    resultType: 'Success',
    correlationId: random.guid(),
    properties,
  };
}

function riskDetection({ atMs, address, company, person, random }: ActivityContext) {
  const time = new Date(atMs).toISOString();
  return {
    id: random.guid(),
    riskEventType: random.pick(['unfamiliarFeatures', 'anonymizedIPAddress', 'unlikelyTravel']),
    riskState: 'atRisk',
    riskLevel: random.pick(['low', 'medium']),
    riskDetail: 'none',
    source: 'IdentityProtection',
    detectionTimingType: 'realtime',
    activity: 'signin',
    ipAddress: address,
    location: { city: company.plan.city, countryOrRegion: company.plan.country },
    activityDateTime: time,
    detectedDateTime: time,
    lastUpdatedDateTime: time,
    userId: person.id,
    userPrincipalName: person.userPrincipalName,
    userDisplayName: person.displayName,
  };
}

function provisioning({ atMs, person, random }: ActivityContext) {
  return {
    id: random.guid(),
    activityDateTime: new Date(atMs).toISOString(),
    jobId: 'scim-out',
    provisioningAction: 'update',
    initiatedBy: { Type: 'system', Id: '', Name: 'Azure AD Provisioning Service' },
    sourceIdentity: { identityType: 'User', Id: person.id, Name: person.displayName },
    targetIdentity: { identityType: 'User', Id: person.userPrincipalName, Name: person.displayName },
    targetSystem: { Name: 'Timesheets' },
    provisioningStatusInfo: { Status: 'success' },
    modifiedProperties: [{ displayName: 'displayName', oldValue: null, newValue: person.displayName }],
  };
}

function request({ address, company, random }: ActivityContext) {
  const app = random.pick(company.apps);
  return {
    requestId: random.guid(),
    requestMethod: random.bool(0.2) ? 'PATCH' : 'GET',
    requestUri: `https://graph.microsoft.com/v1.0/${random.pick(['users', 'groups', 'sites/root/lists'])}`,
    responseStatusCode: random.bool(0.1) ? 403 : 200,
    servicePrincipalId: app.servicePrincipalId,
    appId: app.appId,
    ipAddress: address,
    userAgent: 'python-requests/2.32.3',
    roles: 'User.Read.All Group.Read.All',
  };
}

/** An operation of an administrator on a storage account. */
function operation({ address, atMs, company, person, random }: ActivityContext) {
  return {
    time: new Date(atMs).toISOString(),
    resourceId: `/SUBSCRIPTIONS/${company.plan.azureTenantId}/PROVIDERS/MICROSOFT.STORAGE/STORAGEACCOUNTS/BACKUP`,
    operationName: 'MICROSOFT.STORAGE/STORAGEACCOUNTS/WRITE',
    category: 'Administrative',
    resultType: 'Success',
    callerIpAddress: address,
    correlationId: random.guid(),
    level: 'Information',
    identity: {
      claims: {
        'http://schemas.microsoft.com/identity/claims/objectidentifier': person.id,
        'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn': person.userPrincipalName,
      },
    },
    properties: { eventCategory: 'Administrative' },
  };
}

/** A change in Intune, whose audits have the category of Entra's. */
function deviceConfiguration({ atMs, person, random }: ActivityContext) {
  return {
    ActivityDate: new Date(atMs).toISOString(),
    ActivityResultStatus: 1,
    Actor: { ObjectId: person.id, UPN: person.userPrincipalName, Application: firstParty.officeHome.id },
    AuditEventId: random.guid(),
    TargetObjectIds: [random.guid()],
    TargetDisplayNames: ['Disk encryption'],
    Targets: [{ Name: 'Disk encryption', ModifiedProperties: [{ Name: 'Assignment', Old: '', New: 'All devices' }] }],
  };
}
