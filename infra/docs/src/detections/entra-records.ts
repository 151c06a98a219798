import type { ProviderRecord } from './detection.ts';

const tenant = '7d3c2b1a-4f5e-4a6b-8c9d-0e1f2a3b4c5d';
const user = { id: '2f1e0d9c-8b7a-4695-8413-2a1b0c9d8e7f', name: 'ada@contoso.example' };

/** A sign-in as Azure Monitor exports it; `changes` are members of `properties`. */
export function signIn(changes: ProviderRecord = {}, category = 'SignInLogs'): ProviderRecord {
  const { errorCode = 0 } = (changes.status ?? {}) as { readonly errorCode?: number };
  return {
    time: '2026-11-20T08:15:30.1234567Z',
    resourceId: `/tenants/${tenant}/providers/Microsoft.aadiam`,
    operationName: 'Sign-in activity',
    operationVersion: '1.0',
    category,
    tenantId: tenant,
    resultType: String(errorCode),
    resultSignature: errorCode === 0 ? 'SUCCESS' : 'FAILURE',
    durationMs: 0,
    callerIpAddress: '203.0.113.7',
    Level: 4,
    properties: {
      createdDateTime: '2026-11-20T08:15:30.1234567Z',
      userDisplayName: 'Ada Lovelace',
      userPrincipalName: user.name,
      userId: user.id,
      userType: 'Member',
      appId: '1fec8e78-bce4-4aaf-ab1b-5451cc387264',
      appDisplayName: 'Microsoft Teams',
      ipAddress: '203.0.113.7',
      status: { errorCode: 0 },
      clientAppUsed: 'Browser',
      userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0.0.0 Safari/537.36',
      deviceDetail: { deviceId: '', operatingSystem: 'Windows10', browser: 'Chrome 142.0.0' },
      location: { city: 'Warsaw', state: 'Mazowieckie', countryOrRegion: 'PL' },
      conditionalAccessStatus: 'success',
      isInteractive: true,
      authenticationRequirement: 'multiFactorAuthentication',
      authenticationProtocol: 'none',
      incomingTokenType: 'none',
      resourceDisplayName: 'Microsoft Graph',
      resourceId: '00000003-0000-0000-c000-000000000000',
      riskLevelDuringSignIn: 'none',
      riskLevelAggregated: 'none',
      riskState: 'none',
      riskEventTypes_v2: [],
      correlationId: '9a8b7c6d-5e4f-4a3b-9c2d-1e0f9a8b7c6d',
      ...changes,
    },
  };
}

/** A sign-in of a service principal, which has no user. */
export function servicePrincipalSignIn(changes: ProviderRecord = {}): ProviderRecord {
  return signIn(
    {
      userDisplayName: undefined,
      userPrincipalName: undefined,
      userId: undefined,
      userType: undefined,
      servicePrincipalId: '5c4b3a29-1807-4f6e-9d5c-4b3a29180f7e',
      servicePrincipalName: 'payroll-export',
      appDisplayName: 'payroll-export',
      clientCredentialType: 'clientSecret',
      isInteractive: false,
      ...changes,
    },
    'ServicePrincipalSignInLogs',
  );
}

/** A directory audit of the Graph API. */
export function audit(activityDisplayName: string, category: string, changes: ProviderRecord = {}): ProviderRecord {
  return {
    category,
    correlationId: '9a8b7c6d-5e4f-4a3b-9c2d-1e0f9a8b7c6d',
    result: 'success',
    resultReason: '',
    activityDisplayName,
    activityDateTime: '2026-11-20T08:15:30.1234567Z',
    loggedByService: 'Core Directory',
    operationType: 'Update',
    initiatedBy: {
      app: null,
      user: { id: user.id, displayName: null, userPrincipalName: user.name, ipAddress: '203.0.113.7' },
    },
    targetResources: [],
    additionalDetails: [],
    ...changes,
  };
}

/** An element of `targetResources`; values of properties are JSON texts. */
export function target(
  type: string,
  displayName: string | null,
  properties: readonly (readonly [displayName: string, oldValue: string | null, newValue: string | null])[] = [],
): ProviderRecord {
  return {
    id: '6d5c4b3a-2918-4077-8e6d-5c4b3a291807',
    displayName,
    type,
    userPrincipalName: type === 'User' ? 'bob@contoso.example' : null,
    modifiedProperties: properties.map(([name, oldValue, newValue]) => ({ displayName: name, oldValue, newValue })),
  };
}

/** An audit of one target without modified properties. */
export function auditOf(activity: string, category: string, type: string, name: string | null): ProviderRecord {
  return audit(activity, category, { targetResources: [target(type, name)] });
}
