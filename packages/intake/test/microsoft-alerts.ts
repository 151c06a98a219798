import { azureTenantId } from './message.ts';

type Members = Record<string, unknown>;

/** An alert of the API of Defender for Endpoint. */
export function endpointAlert(changes: Members = {}): Members {
  return {
    id: 'da637_1',
    incidentId: 12,
    assignedTo: 'soc@contoso.example',
    severity: 'Medium',
    status: 'InProgress',
    classification: 'TruePositive',
    determination: 'Malware',
    detectionSource: 'WindowsDefenderAtp',
    category: 'DefenseEvasion',
    threatFamilyName: 'Injector',
    title: 'Suspicious process injection',
    description: 'A process injected code.',
    alertCreationTime: '2026-11-20T08:00:00.1234567Z',
    firstEventTime: '2026-11-20T07:58:00Z',
    lastEventTime: '2026-11-20T07:59:00Z',
    lastUpdateTime: '2026-11-20T09:30:00.7654321Z',
    resolvedTime: null,
    machineId: 'mde-1',
    computerDnsName: 'laptop.contoso.example',
    aadTenantId: azureTenantId,
    relatedUser: { userName: 'administrator', domainName: 'CONTOSO' },
    mitreTechniques: ['T1055'],
    evidence: [
      { entityType: 'Process', sha256: 'aa'.repeat(32), fileName: 'notepad.exe', filePath: 'C:\\Windows' },
      { entityType: 'User', aadUserId: 'u-1', userPrincipalName: 'ada@contoso.example', accountName: 'ada' },
      { entityType: 'Ip', ipAddress: '198.51.100.7' },
    ],
    ...changes,
  };
}

/** An incident of the API of Microsoft 365 Defender. */
export function legacyIncident(changes: Members = {}): Members {
  return {
    incidentId: 924565,
    incidentName: 'Activity from an infrequent country',
    createdTime: '2026-11-20T08:00:00Z',
    lastUpdateTime: '2026-11-20T08:30:00Z',
    severity: 'UnSpecified',
    status: 'Active',
    classification: 'Unknown',
    determination: 'NotAvailable',
    assignedTo: null,
    tags: [],
    comments: [],
    alerts: [
      {
        alertId: 'ca21',
        incidentId: 924565,
        serviceSource: 'MicrosoftCloudAppSecurity',
        creationTime: '2026-11-20T08:00:00Z',
        lastUpdatedTime: '2026-11-20T08:20:00Z',
        firstActivity: '2026-11-20T07:50:00Z',
        lastActivity: '2026-11-20T07:55:00Z',
        title: 'Activity from an infrequent country',
        severity: 'High',
        status: 'New',
        devices: [{ mdatpDeviceId: 'mde-1', aadDeviceId: null, deviceDnsName: 'laptop', osPlatform: 'Windows10' }],
        entities: [
          { entityType: 'MailMessage', networkMessageId: 'n-1', subject: 'Hi', sender: 'x@evil.example' },
          { entityType: 'MailBox', mailboxAddress: 'ada@contoso.example', mailboxDisplayName: 'Ada' },
          { entityType: 'CloudApplication', applicationId: 20893, applicationName: 'Box' },
          { entityType: 'SecurityGroup', securityGroupId: 'g-1', securityGroupName: 'Finance' },
        ],
      },
    ],
    ...changes,
  };
}

/** An alert of the first version of Graph's security API. */
export function legacyGraphAlert(changes: Members = {}): Members {
  return {
    id: 'AAAA-1',
    azureTenantId,
    title: 'Unfamiliar sign-in properties',
    description: 'A sign-in with unfamiliar properties.',
    severity: 'medium',
    status: 'newAlert',
    feedback: 'benignPositive',
    category: 'UnfamiliarLocation',
    assignedTo: 'soc@contoso.example',
    activityGroupName: 'Storm-0000',
    createdDateTime: '2026-11-20T08:00:00Z',
    eventDateTime: '2026-11-20T07:58:00Z',
    lastModifiedDateTime: '2026-11-20T09:30:00Z',
    closedDateTime: null,
    incidentIds: ['77'],
    recommendedActions: ['Ask the user.', 'Reset the password.'],
    sourceMaterials: ['https://portal.example/alert'],
    vendorInformation: { provider: 'IPC', subProvider: 'UnfamiliarLocation', vendor: 'Microsoft' },
    malwareStates: [{ name: 'Trojan:Win32/X', family: 'X' }],
    userStates: [
      { aadUserId: 'u-1', userPrincipalName: 'ada@contoso.example', logonIp: '198.51.100.7', logonLocation: 'PL' },
    ],
    hostStates: [{ fqdn: 'laptop.contoso.example', os: 'Windows 11', privateIpAddress: '10.0.0.1' }],
    fileStates: [{ name: 'x.exe', path: 'C:\\Temp', fileHash: { hashType: 'sha1', hashValue: 'bb'.repeat(20) } }],
    cloudAppStates: [{ destinationServiceName: 'Box' }],
    networkConnections: [{ sourceAddress: '10.0.0.1', destinationAddress: '192.0.2.9' }],
    ...changes,
  };
}

/** A row of SecurityAlert in Log Analytics. */
export function sentinelAlert(changes: Members = {}): Members {
  return {
    TenantId: '99999999-0000-4000-8000-000000000000',
    TimeGenerated: '2026-11-20T09:30:00Z',
    Type: 'SecurityAlert',
    DisplayName: 'Rare process',
    AlertName: 'Rare process',
    AlertSeverity: 'High',
    Description: 'A rare process was started.',
    ProviderName: 'ASI Scheduled Alerts',
    ProductName: 'Azure Sentinel',
    ProductComponentName: 'Scheduled Alerts',
    SystemAlertId: 'c5a1f9de-0000-4000-8000-000000000001',
    Status: 'New',
    StartTime: '2026-11-20T07:58:00Z',
    EndTime: '2026-11-20T07:59:00Z',
    ProcessingEndTime: '2026-11-20T08:00:00Z',
    RemediationSteps: '["Look, then act.","Close."]',
    Tactics: 'Execution,Persistence',
    Techniques: '["T1059"]',
    AlertLink: 'https://portal.example/alert',
    ExtendedProperties: '{"Threat Name":"Trojan:Win32/X"}',
    Entities: JSON.stringify(azureEntities),
    ...changes,
  };
}

export const azureEntities = [
  {
    $id: '1',
    HostName: 'laptop',
    DnsDomain: 'contoso.example',
    AadDeviceId: '33333333-0000-4000-8000-00000000000a',
    MdatpDeviceId: 'mde-1',
    OSFamily: 'Windows',
    OSVersion: '11',
    Type: 'host',
  },
  {
    $id: '2',
    ImageFile: {
      $id: '3',
      Name: 'x.exe',
      Directory: 'C:\\Temp',
      FileHashes: [{ $id: '4', Algorithm: 'SHA256', Value: 'AA'.repeat(32), Type: 'filehash' }],
      Type: 'file',
    },
    Account: {
      $id: '5',
      Name: 'ada',
      UPNSuffix: 'contoso.example',
      AadUserId: 'u-1',
      DisplayName: 'Ada',
      Type: 'account',
    },
    Host: { $ref: '1' },
    Type: 'process',
  },
  { $id: '6', Address: '198.51.100.7', Location: { CountryCode: 'PL' }, Type: 'ip' },
  { $id: '7', AppId: 20893, Name: 'Box', Type: 'cloud-application' },
  { $id: '8', NetworkMessageId: 'n-1', Subject: 'Hi', P2Sender: 'x@evil.example', Type: 'mailMessage' },
  { $id: '9', DisplayName: 'Finance', ObjectGuid: 'g-1', Type: 'security-group' },
  { $ref: '6' },
];

/** A row of SecurityIncident in Log Analytics. */
export function sentinelIncident(changes: Members = {}): Members {
  return {
    TenantId: '99999999-0000-4000-8000-000000000000',
    TimeGenerated: '2026-11-20T09:31:00Z',
    Type: 'SecurityIncident',
    IncidentName: 'd5a1f9de-0000-4000-8000-000000000002',
    IncidentNumber: 42,
    Title: 'Rare process on one host',
    Severity: 'Medium',
    Status: 'Active',
    Classification: 'BenignPositive',
    ClassificationReason: 'SuspiciousButExpected',
    Owner: '{"userPrincipalName":"soc@contoso.example"}',
    CreatedTime: '2026-11-20T08:00:00Z',
    LastModifiedTime: '2026-11-20T09:30:00Z',
    FirstActivityTime: '2026-11-20T07:58:00Z',
    IncidentUrl: 'https://portal.example/incident',
    AdditionalData: '{"techniques":["T1059"]}',
    ...changes,
  };
}

/** A recommendation of Defender for Cloud about one resource. */
export function assessment(changes: Members = {}): Members {
  return {
    id: '/subscriptions/1/resourcegroups/a/providers/microsoft.web/sites/a/providers/Microsoft.Security/assessments/7b3d',
    name: '7b3d',
    type: 'Microsoft.Security/assessments',
    tenantId: azureTenantId,
    properties: {
      displayName: 'CORS should not allow every resource',
      status: {
        code: 'Unhealthy',
        statusChangeDate: '2026-11-20T09:30:00Z',
        firstEvaluationDate: '2026-11-19T09:30:00Z',
      },
      metadata: { severity: 'Low', description: 'Allow required domains only.', remediationDescription: 'Do it.' },
      links: { azurePortal: 'portal.example/assessment' },
    },
    ...changes,
  };
}
