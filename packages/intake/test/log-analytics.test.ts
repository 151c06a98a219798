import { describe, expect, test } from 'vitest';
import { intuneAudit } from './azure-records.ts';
import { azureTenantId, ends, read, readDocument, readRow } from './message.ts';

const format = 'azure.monitor';
const ada = '7d2f4c7e-5b0a-4f0e-9a55-1c2d3e4f5a6b';

/** The same record as a row of a table; dynamic columns are objects or JSON text. */
describe('a row of Log Analytics', () => {
  const signIn = {
    TenantId: 'workspace',
    TimeGenerated: '2026-11-20T09:00:00Z',
    CreatedDateTime: '2026-11-20T08:15:30Z',
    Type: 'AADNonInteractiveUserSignInLogs',
    Category: 'NonInteractiveUserSignInLogs',
    OperationName: 'Sign-in activity',
    ResultType: '50126',
    ResultDescription: 'Invalid password',
    AADTenantId: azureTenantId,
    ResourceId: `/tenants/${azureTenantId}/providers/Microsoft.aadiam`,
    ResourceIdentity: 'r-1',
    ResourceDisplayName: 'Graph',
    UserId: ada,
    UserPrincipalName: 'ada@contoso.example',
    IPAddress: '203.0.113.7',
    Location: 'PL',
    LocationDetails: '{"city":"Lublin","countryOrRegion":"PL"}',
    Status: { errorCode: 50126 },
    DeviceDetail: '{"operatingSystem":"Windows10"}',
    RiskEventTypes_V2: '[]',
    AuthenticationDetails: '[{"authenticationMethod":"Password"}]',
    IsInteractive: 'false',
    SessionId: 'session-1',
    AutonomousSystemNumber: '5617',
    SourceSystem: 'Azure AD',
    _IsBillable: 'True',
  };

  test('means the same as the record of an event hub', () => {
    const properties = {
      createdDateTime: '2026-11-20T08:15:30Z',
      resourceId: 'r-1',
      resourceDisplayName: 'Graph',
      userId: ada,
      userPrincipalName: 'ada@contoso.example',
      ipAddress: '203.0.113.7',
      location: { city: 'Lublin', countryOrRegion: 'PL' },
      status: { errorCode: 50126 },
      deviceDetail: { operatingSystem: 'Windows10' },
      riskEventTypes_v2: [],
      authenticationDetails: [{ authenticationMethod: 'Password' }],
      isInteractive: false,
      sessionId: 'session-1',
      autonomousSystemNumber: 5617,
    };
    const nested = {
      time: '2026-11-20T09:00:00Z',
      category: 'NonInteractiveUserSignInLogs',
      operationName: 'Sign-in activity',
      resultType: '50126',
      resultDescription: 'Invalid password',
      tenantId: azureTenantId,
      resourceId: `/tenants/${azureTenantId}/providers/Microsoft.aadiam`,
      location: 'PL',
      properties,
    };
    const { id: _, ...row } = readDocument(format, signIn);
    const { id: __, ...expected } = readDocument(format, nested);
    expect(row).toEqual(expected);
    expect(row).toMatchObject({ outcome: 'failure', location: { city: 'Lublin', asn: 5617 }, sessionId: 'session-1' });
  });

  test('of audits has the category of the table, and its own among the details', () => {
    const audit = {
      TimeGenerated: '2026-11-20T09:00:00Z',
      Type: 'AuditLogs',
      Category: 'RoleManagement',
      OperationName: 'Add member to role',
      ActivityDisplayName: 'Add member to role',
      AADOperationType: 'Assign',
      Result: 'success',
      InitiatedBy: '{"user":{"id":"u-1","userPrincipalName":"ada@contoso.example"}}',
      TargetResources: '[{"id":"u-2","type":"User","modifiedProperties":[{"displayName":"A","newValue":"\\"b\\""}]}]',
      AdditionalDetails: [{ key: 'k', value: 'v' }],
    };
    expect(readDocument('entra.audit.azuremonitor', audit)).toMatchObject({
      category: 'AuditLogs',
      outcome: 'success',
      actorId: 'u-1',
      targets: [{ id: 'u-2', name: null, type: 'User' }],
      changes: [{ name: 'A', before: null, after: 'b' }],
      details: { category: 'RoleManagement', k: 'v', operationType: 'Assign' },
    });
  });

  test('of risks, Graph and Intune is read by the table', () => {
    const at = { TimeGenerated: '2026-11-20T09:00:00Z' };
    expect(
      readDocument(format, {
        ...at,
        Type: 'AADUserRiskEvents',
        RiskLevel: 'high',
        UserId: ada,
        Location: '{"city":"K"}',
      }),
    ).toMatchObject({ severity: 'high', actorId: ada, location: { city: 'K' }, sourceName: 'UserRiskEvents' });
    expect(
      readDocument(format, {
        ...at,
        Type: 'MicrosoftGraphActivityLogs',
        RequestMethod: 'GET',
        ResponseStatusCode: 404,
      }),
    ).toMatchObject({ outcome: 'failure', errorCode: '404', action: 'Microsoft Graph Activity' });
    expect(
      readDocument(format, {
        ...at,
        Type: 'IntuneAuditLogs',
        Category: 'AuditLogs',
        OperationName: 'Patch Device',
        Properties: JSON.stringify(intuneAudit.properties),
      }),
    ).toMatchObject({ sourceType: 'intune', actorId: ada, category: 'IntuneAuditLogs' });
    expect(readDocument(format, { ...at, Type: 'IntuneDevices', DeviceName: 'X', OS: 'iOS' })).toMatchObject({
      sourceType: 'intune',
      deviceOs: 'iOS',
      action: 'IntuneDevices',
    });
  });

  test('of AzureActivity shows each object once, as text or as an object', () => {
    const Claims = {
      appid: azureTenantId,
      'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn': 'ada@contoso.example',
    };
    const Authorization = { action: 'Microsoft.Authorization/roleAssignments/write' };
    const Properties = { entity: '/subscriptions/s-1' };
    const row = { TimeGenerated: '2026-11-20T09:00:00Z', Type: 'AzureActivity', CategoryValue: 'Administrative' };
    const objects = { Claims_d: Claims, Authorization_d: Authorization, Properties_d: Properties };
    const texts = {
      Claims: JSON.stringify(Claims),
      Authorization: JSON.stringify(Authorization),
      Properties: JSON.stringify(Properties),
    };
    const { id: _, ...expected } = readDocument(format, { ...row, ...texts });
    expect(expected).toMatchObject({
      actorName: 'ada@contoso.example',
      applicationClientId: azureTenantId,
      details: {
        'authorization.action': Authorization.action,
        'claims.appid': azureTenantId,
        entity: Properties.entity,
      },
    });
    for (const columns of [{ ...texts, ...objects }, objects]) {
      const { id: __, ...shown } = readDocument(format, { ...row, ...columns });
      expect(shown).toEqual(expected);
    }
  });

  const officeActivity = {
    TenantId: 'workspace',
    Type: 'OfficeActivity',
    SourceSystem: 'OfficeActivityManager',
    TimeGenerated: '2026-11-20T09:00:00Z',
    RecordType: 'ExchangeAdmin',
    Operation: 'New-InboxRule',
    OrganizationId: azureTenantId,
    UserType: 'Admin',
    UserId: 'ada@contoso.example',
    OfficeWorkload: 'Exchange',
    OfficeObjectId: 'ada@contoso.example\\hide',
    OfficeId: 'office-1',
    ResultStatus: 'True',
    ClientIP: '203.0.113.7:50211',
    Client_IPAddress: '',
    Logon_Type: 'Owner',
    Parameters: '[{"Name":"MoveToFolder","Value":"RSS Feeds"}]',
  };

  test.each(['azure.monitor', 'o365.management-activity'] as const)(
    'of OfficeActivity means the same as the record of the Management Activity API, as %s',
    (name) => {
      const { id: _, recordType, ...row } = readDocument(name, officeActivity);
      const { id: __, ...expected } = readDocument('o365.management-activity', {
        CreationTime: '2026-11-20T09:00:00',
        RecordType: 1,
        Operation: 'New-InboxRule',
        OrganizationId: azureTenantId,
        UserType: 'Admin',
        UserId: 'ada@contoso.example',
        Workload: 'Exchange',
        ObjectId: 'ada@contoso.example\\hide',
        Id: 'office-1',
        ResultStatus: 'True',
        ClientIP: '203.0.113.7:50211',
        LogonType: 'Owner',
        Parameters: [{ Name: 'MoveToFolder', Value: 'RSS Feeds' }],
      });
      expect({ ...row, recordType: '1' }).toEqual(expected);
      expect(recordType).toBe('ExchangeAdmin');
      expect(row).toMatchObject({ sourceType: 'microsoft365', resourceType: 'inboxRule', severity: 'medium' });
    },
  );

  const copilotActivity = {
    TenantId: 'workspace',
    Type: 'CopilotActivity',
    TimeGenerated: '2026-11-20T09:00:00Z',
    RecordId: 'record-1',
    RecordType: 'CopilotInteraction',
    OrganizationId: azureTenantId,
    ActorName: 'ada@contoso.example',
    ActorUserId: ada,
    ActorUserType: 'Regular',
    SrcIpAddr: '203.0.113.7',
    Workload: 'Copilot',
    AppHost: 'Word',
    ClientRegion: 'PL',
    AgentId: 'agent-1',
    AgentName: 'Payroll',
    AIModelName: 'gpt-6',
    LogVersion: '1.0.0.0',
    LLMEventData: JSON.stringify({
      ThreadId: '19:thread',
      Messages: [{ Id: '1', isPrompt: true, JailbreakDetected: true }],
      AccessedResources: [{ ListItemUniqueId: 'file-1', Name: 'plan.docx', Action: 'Read', XPIADetected: false }],
    }),
  };

  test.each(['CopilotActivity', 'LLMActivity'])('of %s is an interaction with AI, and its attack is high', (Type) => {
    const rows = (['azure.monitor', 'o365.management-activity'] as const).map((name) =>
      readDocument(name, { ...copilotActivity, Type }),
    );
    expect(rows[0]).toEqual(rows[1]);
    expect(rows[0]).toMatchObject({
      action: 'CopilotInteraction',
      severity: 'high',
      actorId: ada,
      actorName: 'ada@contoso.example',
      actorType: 'user',
      actorIp: '203.0.113.7',
      resourceId: 'agent-1',
      resourceType: 'agent',
      sourceType: 'microsoft365',
      externalEventId: 'record-1',
      ai: {
        agentName: 'Payroll',
        host: 'Word',
        model: 'gpt-6',
        jailbreak: true,
        resources: [{ id: 'file-1', name: 'plan.docx' }],
      },
    });
    expect(readRow(format, { ...copilotActivity, Type }).facts).toMatchObject([
      { kind: 'aiInteraction', agentId: 'agent-1', actorId: ada },
    ]);
  });

  test('of Copilot about its settings has the operation of its record type, also without an interaction', () => {
    const { LLMEventData: _, ...settings } = copilotActivity;
    expect(readDocument(format, { ...settings, RecordType: 'UpdateCopilotSettings' })).toMatchObject({
      action: 'UpdateCopilotSettings',
      severity: 'low',
      actorId: ada,
    });
  });

  const named = {
    TimeGenerated: '2026-11-20T09:00:00Z',
    OrganizationId: azureTenantId,
    ActorName: 'ada@contoso.example',
    ActorUserId: ada,
    ActorUserType: 'Admin',
    EventOriginalUid: 'event-1',
    EventResult: 'Failed',
    SrcIpAddr: '203.0.113.7',
  };
  const expectedOfNamed = { actorId: ada, actorIp: '203.0.113.7', externalEventId: 'event-1', outcome: 'failure' };

  test.each([
    [
      { Type: 'PowerBIActivity', EventOriginalType: 'ExportReport', RecordType: 'PowerBIAudit', Workload: 'PowerBI' },
      { WorkspaceId: 'w-1', PbiWorkspaceName: 'Finance' },
      { action: 'ExportReport', workload: 'PowerBI', resourceName: 'Finance', resourceType: 'workspace' },
    ],
    [
      { Type: 'PowerAutomateActivity', EventOriginalType: 'PutPermissions', RecordType: 'MicrosoftFlow' },
      { FlowDetailsUrl: 'https://flow.example/1', RecipientUpn: 'eve@other.example', UserUpn: 'ada@contoso.example' },
      { resourceType: 'flow', targets: [{ id: 'eve@other.example', name: 'eve@other.example', type: null }] },
    ],
    [
      { Type: 'PowerPlatformAdminActivity', EventOriginalType: 'EnvironmentDelete' },
      { PropertyCollection: '[{"Name":"powerplatform.analytics.resource.environment.id","Value":"env-1"}]' },
      { action: 'EnvironmentDelete', severity: 'low' },
    ],
  ])('of $Type has actor, address and outcome', (table, columns, expected) => {
    expect(readDocument(format, { ...named, ...table, ...columns })).toMatchObject({ ...expectedOfNamed, ...expected });
  });

  test('of Dataverse is by the person, not by the id that the person has in Dataverse', () => {
    const row = {
      Type: 'DataverseActivity',
      TimeGenerated: '2026-11-20T09:00:00Z',
      OrganizationId: azureTenantId,
      Operation: 'Retrieve',
      UserId: 'd0d0d0d0-1111-4111-8111-111111111111',
      UserUpn: 'ada@contoso.example',
      UserType: '0',
      SystemUserId: 'd0d0d0d0-1111-4111-8111-111111111111',
      ClientIp: '203.0.113.7',
      EntityId: 'account-1',
      SourceRecordId: 'source-1',
      ResultStatus: 'Success',
    };
    expect(readDocument(format, row)).toMatchObject({
      action: 'Retrieve',
      actorId: 'ada@contoso.example',
      actorType: 'user',
      actorIp: '203.0.113.7',
      resourceId: 'account-1',
      outcome: 'success',
      externalEventId: 'source-1',
    });
  });

  test('of EnrichedMicrosoft365AuditLogs has the members of the record that are among the additional ones', () => {
    const row = {
      Type: 'EnrichedMicrosoft365AuditLogs',
      TimeGenerated: '2026-11-20T09:00:00Z',
      OrganizationId: azureTenantId,
      Id: 'enriched-1',
      Operation: 'FileDownloaded',
      RecordType: 6,
      Workload: 'SharePoint',
      UserId: 'ada@contoso.example',
      UserKey: ada,
      UserType: '0',
      ActorUserType: 'Regular',
      ClientIp: '203.0.113.7',
      SourceIp: '198.51.100.7',
      DeviceId: 'device-1',
      DeviceOperatingSystem: 'Windows 11',
      ObjectId: 'https://contoso.example/Plan.docx',
      AdditionalProperties: JSON.stringify({ SourceFileName: 'Plan.docx', ItemType: 'File', Operation: 'Other' }),
    };
    expect(readDocument(format, row)).toMatchObject({
      action: 'FileDownloaded',
      actorId: ada,
      actorType: 'user',
      actorIp: '203.0.113.7',
      resourceName: 'Plan.docx',
      resourceType: 'file',
      deviceId: 'device-1',
      deviceOs: 'Windows 11',
      details: { SourceIp: '198.51.100.7' },
    });
  });

  test.each([
    ['objects', (properties: object) => properties],
    ['JSON text', (properties: object) => JSON.stringify(properties)],
  ] as const)(
    'of EnrichedOffice365AuditLogs in an event hub is the record of the unified audit log, with %s',
    (_, write) => {
      const row = {
        Id: 'enriched-1',
        CreationTime: '2026-11-20T08:15:30Z',
        Operation: 'FileDownloaded',
        RecordType: 6,
        Workload: 'SharePoint',
        UserId: 'ada@contoso.example',
        UserKey: ada,
        UserType: '0',
        ClientIp: '203.0.113.7',
        SourceIp: '198.51.100.7',
        DeviceOperatingSystem: 'Windows 11',
        ObjectId: 'https://contoso.example/Plan.docx',
        AdditionalProperties: JSON.stringify({ SourceFileName: 'Plan.docx', ItemType: 'File' }),
      };
      const small = Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name.charAt(0).toLowerCase() + name.slice(1), value]),
      );
      const frame = {
        time: '2026-11-20T09:00:00Z',
        tenantId: azureTenantId,
        category: 'EnrichedOffice365AuditLogs',
        operationName: 'Microsoft 365 Activity',
        resourceId: `/tenants/${azureTenantId}/providers/Microsoft.aadiam`,
      };
      const documents = [row, small].map((properties) =>
        readDocument(format, { ...frame, properties: write(properties) }),
      );
      expect(documents[0]).toMatchObject({
        occurredAt: '2026-11-20T08:15:30.000Z',
        action: 'FileDownloaded',
        sourceType: 'microsoft365',
        sourceName: 'Audit.SharePoint',
        externalEventId: 'enriched-1',
        actorId: ada,
        actorIp: '203.0.113.7',
        resourceName: 'Plan.docx',
        deviceOs: 'Windows 11',
        details: { SourceIp: '198.51.100.7', OrganizationId: azureTenantId },
      });
      expect({ ...documents[1], id: null }).toEqual({ ...documents[0], id: null });
      const { CreationTime: time, Operation: operationName, ...others } = row;
      const bare = readDocument(format, { ...frame, time, operationName, properties: write(others) });
      expect({ ...bare, id: null }).toEqual({ ...documents[0], id: null });
      expect(readRow(format, { ...frame, properties: write(row) }).isUnlisted).toBe(false);
    },
  );

  test('of labels has the file, the device and the application', () => {
    const row = {
      Type: 'MicrosoftPurviewInformationProtection',
      TimeGenerated: '2026-11-20T09:00:00Z',
      OrganizationId: azureTenantId,
      RecordType: 83,
      Operation: 'FileSensitivityLabelRemoved',
      UserId: 'ada@contoso.example',
      UserKey: ada,
      UserType: 'Regular',
      ClientIP: '203.0.113.7',
      ObjectId: 'C:\\plan.docx',
      Application: 'Word',
      DeviceName: 'pc-1',
      Platform: 'WinDesktop',
      Id: 'label-1',
      Workload: 'PublicEndpoint',
    };
    expect(readDocument(format, row)).toMatchObject({
      severity: 'medium',
      actorId: ada,
      actorIp: '203.0.113.7',
      resourceName: 'plan.docx',
      clientApp: 'Word',
      deviceName: 'pc-1',
      deviceOs: 'WinDesktop',
    });
  });

  test('of OfficeActivity is one row, whichever format its envelope named', () => {
    const [one, other] = (['azure.monitor', 'o365.management-activity'] as const).map((name) =>
      readDocument(name, officeActivity),
    );
    expect(one).toEqual(other);
  });

  test('of OfficeActivity about an alert gives the alert too', () => {
    const changes = { RecordType: 'SecurityComplianceAlerts', Operation: 'AlertTriggered', Parameters: '' };
    const alert = { ...officeActivity, ...changes, AlertId: 'a-1', Severity: 'High', Status: 'Active', Name: 'Mail' };
    expect(ends(read(format, alert))).toEqual(['log', 'state']);
  });

  test('of a table of Defender is the same row as under the format of hunting', () => {
    const row = {
      Type: 'CloudAppEvents',
      TimeGenerated: '2026-11-20T09:00:05Z',
      Timestamp: '2026-11-20T09:00:00Z',
      ActionType: 'FileDownloaded',
      AccountObjectId: ada,
      IPAddress: '203.0.113.7',
      ReportId: 'report-1',
    };
    const document = readDocument(format, row);
    expect(document).toEqual(readDocument('m365d.advanced-hunting', row));
    expect(document).toMatchObject({ action: 'FileDownloaded', sourceType: 'defender', actorId: ada });
  });

  test('of another tenant is refused by the tenant and not by the workspace', () => {
    const other = '99999999-9999-4999-8999-999999999999';
    expect(ends(read(format, { ...signIn, TenantId: other }))).toEqual(['log']);
    expect(ends(read(format, { ...signIn, AADTenantId: other }))).toEqual(['TENANT_MISMATCH']);
    expect(ends(read(format, { ...officeActivity, OrganizationId: other }))).toEqual(['TENANT_MISMATCH']);
  });
});
