import { expect, test } from 'vitest';
import { azureTenantId, readDocument } from './message.ts';

const frame = {
  time: '2026-11-20T09:00:00Z',
  operationName: 'Add member to role',
  category: 'AuditLogs',
  tenantId: azureTenantId,
  resultType: '50126',
  resultDescription: 'In other words.',
  correlationId: 'correlation-2',
};

test.each([
  ['a privileged role', [{ key: 'ipaddr', value: '203.0.113.7' }], { id: 'u-1' }, '203.0.113.7'],
  ['a user flow', [{ key: 'ClientIpAddress', value: '203.0.113.7' }], null, '203.0.113.7'],
  ['an address of its own', [{ key: 'ipaddr', value: '203.0.113.7' }], { ipAddress: '198.51.100.9' }, '198.51.100.9'],
])('an audit of %s has the address of its initiator', (_, additionalDetails, user, actorIp) => {
  const record = { id: 'a-1', activityDateTime: '2026-11-20T08:15:30Z', activityDisplayName: 'Issue a token' };
  expect(readDocument('entra.audit.graph', { ...record, additionalDetails, initiatedBy: { user } })).toMatchObject({
    actorIp,
  });
});

const audit = {
  id: 'Directory_1',
  category: 'RoleManagement',
  correlationId: 'correlation-1',
  activityDateTime: '2026-11-20T08:15:30Z',
  activityDisplayName: 'Add member to role',
  result: 'failure',
  resultReason: 'Insufficient privileges',
  loggedByService: 'Core Directory',
  operationType: 'Assign',
  initiatedBy: { user: { id: 'u-1', userPrincipalName: 'ada@contoso.example', displayName: 'Ada' }, app: null },
  targetResources: [
    {
      id: 'u-2',
      displayName: null,
      userPrincipalName: 'bob@contoso.example',
      type: 'User',
      modifiedProperties: [
        { displayName: 'Role.DisplayName', oldValue: null, newValue: '"Helpdesk \\"L2\\""' },
        { displayName: 'AppId', oldValue: '["a","b"]', newValue: '"unterminated' },
        { displayName: 'PasswordProfile.Password', oldValue: '"old"', newValue: '"hunter22"' },
      ],
    },
    { id: 'r-1', displayName: 'Helpdesk', type: 'Role', modifiedProperties: [{ displayName: 'Count', newValue: 3 }] },
    'no object',
  ],
  additionalDetails: [
    { key: 'User-Agent', value: 'Mozilla/5.0 Edg/120.0' },
    { key: 'RoleDefinitionOriginId', value: 'r-0' },
  ],
};

test('an audit has its targets in order, its changes as text and its context', () => {
  expect(readDocument('entra.audit.graph', audit)).toMatchObject({
    outcome: 'failure',
    category: 'RoleManagement',
    errorCode: null,
    outcomeReason: 'Insufficient privileges',
    correlationId: 'correlation-1',
    userAgent: 'Mozilla/5.0 Edg/120.0',
    targets: [
      { id: 'u-2', name: 'bob@contoso.example', type: 'User' },
      { id: 'r-1', name: 'Helpdesk', type: 'Role' },
    ],
    changes: [
      { name: 'Role.DisplayName', before: null, after: 'Helpdesk "L2"' },
      { name: 'AppId', before: '["a","b"]', after: '"unterminated' },
      { name: 'PasswordProfile.Password', before: '[removed]', after: '[removed]' },
      { name: 'Count', before: null, after: '3' },
    ],
    details: {
      RoleDefinitionOriginId: 'r-0',
      'User-Agent': 'Mozilla/5.0 Edg/120.0',
      'initiatedBy.user.displayName': 'Ada',
      loggedByService: 'Core Directory',
      operationType: 'Assign',
      'targetResources.userPrincipalName': 'bob@contoso.example',
    },
  });
});

test('values of the frame that differ from those of the record are details', () => {
  const framed = { ...frame, category: 'AuditLogs', operationName: 'Other name', callerIpAddress: '203.0.113.7' };
  const initiatedBy = { user: { id: 'u-1', ipAddress: '203.0.113.8' } };
  expect(
    readDocument('entra.audit.azuremonitor', { ...framed, properties: { ...audit, initiatedBy } }).details,
  ).toMatchObject({ operationName: 'Other name', correlationId: 'correlation-2', callerIpAddress: '203.0.113.7' });
});

test('an audit in Azure Monitor has the outer category, and its own among the details', () => {
  const framed = { ...frame, category: 'AuditLogs', resultType: '', properties: audit };
  expect(readDocument('entra.audit.azuremonitor', framed)).toMatchObject({
    category: 'AuditLogs',
    sourceName: 'AuditLogs',
    details: { category: 'RoleManagement' },
  });
});
