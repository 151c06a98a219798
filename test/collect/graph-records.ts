import { randomUUID } from 'node:crypto';

/** A synthetic sign-in; all are different. */
export function graphSignIn(number: number, atMs: number): Record<string, unknown> {
  return {
    id: randomUUID(),
    createdDateTime: new Date(atMs).toISOString(),
    userDisplayName: `Person ${number % 7}`,
    userPrincipalName: `person${number % 7}@example.com`,
    userId: `00000000-0000-4000-8000-00000000000${number % 7}`,
    appDisplayName: 'Wiki',
    appId: '11111111-0000-4000-8000-000000000000',
    ipAddress: `203.0.113.${number % 250}`,
    clientAppUsed: 'Browser',
    isInteractive: true,
    status: { errorCode: number % 3 === 0 ? 50126 : 0, failureReason: 'Other.' },
    deviceDetail: { operatingSystem: 'Windows 11', browser: 'Edge 130' },
    location: { city: 'Warsaw', countryOrRegion: 'PL' },
  };
}

/** A synthetic directory audit; all are different. */
export function graphAudit(number: number, atMs: number): Record<string, unknown> {
  return {
    id: `Directory_${randomUUID()}`,
    category: 'UserManagement',
    activityDateTime: new Date(atMs).toISOString(),
    activityDisplayName: ['Add user', 'Update user', 'Delete user'][number % 3],
    operationType: ['Add', 'Update', 'Delete'][number % 3],
    loggedByService: 'Core Directory',
    result: 'success',
    initiatedBy: { user: { id: randomUUID(), userPrincipalName: 'admin@example.com' } },
    targetResources: [{ id: randomUUID(), type: 'User', userPrincipalName: `person${number}@example.com` }],
  };
}

export function graphUser(number: number): { readonly id: string } & Record<string, unknown> {
  return {
    id: randomUUID(),
    displayName: `Person ${number}`,
    userPrincipalName: `person${number}@example.com`,
    userType: 'Member',
    accountEnabled: true,
    department: 'Sales',
    // Not selected: a collector that selects nothing, or everything, would have it.
    aboutMe: 'text',
  };
}
