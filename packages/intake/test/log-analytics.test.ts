import { describe, expect, test } from 'vitest';
import { intuneAudit } from './azure-records.ts';
import { azureTenantId, ends, read, readDocument } from './message.ts';

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

  test('of another tenant is refused by the tenant and not by the workspace', () => {
    const other = '99999999-9999-4999-8999-999999999999';
    expect(ends(read(format, { ...signIn, TenantId: other }))).toEqual(['log']);
    expect(ends(read(format, { ...signIn, AADTenantId: other }))).toEqual(['TENANT_MISMATCH']);
  });
});
