import type { AuditLogEvent } from '@tenantscope/contract';
import { expect, test } from 'vitest';
import { toEcsLog, toOcsfLog } from '../src/index.ts';
import { ocsfClasses } from '../src/ocsf/classes.ts';
import { createEvent } from './log-event.ts';

const typeOf = (action: string, resourceType: string | null = null, more = {}) =>
  toOcsfLog(createEvent({ action, resourceType, resourceId: 'r', resourceName: 'name', ...more })).type_name;

test.each([
  ['UserLoggedIn', 'application', 'Authentication: Logon'],
  ['user.session.end', null, 'Authentication: Logoff'],
  ['CHROME_OS_LOGIN_EVENT', 'device', 'Authentication: Logon'],
  ['CHROME_OS_LOGIN_FAILURE_EVENT', 'device', 'Authentication: Logon'],
  ['CHROME_OS_LOGOUT_EVENT', 'device', 'Authentication: Logoff'],
  ['FileDownloaded', 'file', 'File Hosting Activity: Download'],
  ['filedownloaded', 'file', 'File Hosting Activity: Download'],
  ['FileSyncUploadedFull', 'file', 'File Hosting Activity: Upload'],
  ['trash', 'file', 'File Hosting Activity: Delete'],
  ['AnonymousLinkCreated', 'file', 'File Hosting Activity: Share'],
  ['Add user.', 'user', 'Account Change: Create'],
  ['user.mfa.factor.reset_all', 'user', 'Account Change: MFA Factor Disable'],
  ['Add member to role.', 'user', 'User Access Management: Assign Privileges'],
  ['add_user', 'group', 'Group Management: Add User'],
  ['Add service principal.', 'servicePrincipal', 'Application Lifecycle: Install'],
  ['Set-Mailbox', 'mailbox', 'API Activity: Update'],
  ['MailItemsAccessed', 'mailbox', 'API Activity: Read'],
  ['Microsoft Graph Activity', 'url', 'API Activity: Other'],
  ['ConnectedAIAppInteraction', 'agent', 'API Activity: Other'],
  ['AIInvokeAgent', 'agent', 'API Activity: Other'],
  ['feature_utilization', 'application', 'API Activity: Other'],
  ['Update conditional access policy', 'policy', 'Entity Management: Update'],
  ['Add owner to application.', 'application', 'Entity Management: Update'],
  ['Remove app role assignment from service principal.', 'servicePrincipal', 'Entity Management: Update'],
  ['Add delegated permission grant.', 'servicePrincipal', 'Entity Management: Update'],
  ['Add OAuth2PermissionGrant.', 'servicePrincipal', 'Entity Management: Update'],
  ['Consent to application.', 'application', 'Entity Management: Update'],
  ['Add service principal credentials', 'servicePrincipal', 'Entity Management: Update'],
  ['application.user_membership.add', 'app', 'Entity Management: Update'],
  ['REMOVE_APPLICATION_FROM_WHITELIST', 'application', 'Entity Management: Update'],
  ['SiteCollectionAdminAdded', 'site', 'Entity Management: Update'],
  ['Add policy.', 'policy', 'Entity Management: Create'],
  ['Delete policy', 'policy', 'Entity Management: Delete'],
  ['CREATE_ORG_UNIT', 'orgUnit', 'Entity Management: Create'],
  ['REMOVE_RECOVERY_EMAIL', 'user', 'Entity Management: Update'],
  ['REMOVE_PRIVILEGE', 'role', 'Entity Management: Update'],
  ['DELETE_ROLE', 'role', 'Entity Management: Delete'],
  ['DELETE_APPLICATION_SETTING', 'application', 'Entity Management: Update'],
  ['DELETE_BUILDING', 'domain', 'Entity Management: Update'],
  ['REMOVE_SECONDARY_DOMAIN', 'domain', 'Entity Management: Delete'],
  ['remove_event_guest', 'calendarEvent', 'Entity Management: Update'],
  ['delete_event', 'calendarEvent', 'Entity Management: Delete'],
  ['remove_lock', 'file', 'Entity Management: Update'],
  ['add_member', 'group', 'Group Management: Add User'],
  ['remove_member_role', 'group', 'Entity Management: Update'],
  ['GRANT_ADMIN_PRIVILEGE', 'user', 'User Access Management: Assign Privileges'],
  ['REVOKE_ADMIN_PRIVILEGE', 'user', 'User Access Management: Revoke Privileges'],
  ['policy.rule.delete', 'policyEntity', 'Entity Management: Update'],
  ['policy.lifecycle.delete', 'policyEntity', 'Entity Management: Delete'],
])('%s of a resource %s is %s', (action, resourceType, expected) => {
  expect(typeOf(action, resourceType)).toBe(expected);
});

const removed = (names: Record<string, string>) =>
  Object.entries(names).map(([name, before]) => ({ name, before, after: null }));
const bo = { resourceId: 'u-1', resourceName: 'bo@larkspur.example', resourceType: 'user' };

test('a member that is removed is named with its former group', () => {
  const changes = removed({ 'Group.ObjectID': 'g-1', 'Group.DisplayName': 'Finance' });
  expect(toOcsfLog(createEvent({ ...bo, action: 'Remove member from group.', changes }))).toMatchObject({
    type_name: 'Group Management: Remove User',
    group: { uid: 'g-1', name: 'Finance' },
    user: { uid: 'u-1', name: 'bo@larkspur.example' },
  });
  expect(typeOf('Remove member from group.', 'user')).toBe('Entity Management: Update');
});

const ada = { id: '00u1', name: 'Ada', type: 'User' };
const admins = { id: '00g1', name: 'Admins', type: 'UserGroup' };

test.each([
  ['first', [ada, admins], { resourceId: '00u1', resourceName: 'Ada', resourceType: 'user' }],
  ['last', [admins, ada], { resourceId: '00g1', resourceName: 'Admins', resourceType: 'userGroup' }],
])('a group of Okta is no user where the member is named %s', (_, targets, resource) => {
  const event = createEvent({ ...resource, action: 'group.user_membership.add', targets });
  expect(toOcsfLog(event)).toMatchObject({
    group: { uid: '00g1', name: 'Admins' },
    user: { uid: '00u1', name: 'Ada', type_id: 1 },
  });
  expect(toEcsLog(event)).toMatchObject({ user: { target: { id: '00u1' } }, group: { id: '00g1' } });
});

test('a member of Teams, who has no type, is the user of the event', () => {
  const team = { resourceId: 't-1', resourceName: 'Plan', resourceType: 'team' };
  const targets = [{ id: 'eve@fabrikam.example', name: 'Eve', type: null }];
  const added = createEvent({ ...team, action: 'MemberAdded', targets });
  expect(toOcsfLog(added)).toMatchObject({ group: { uid: 't-1' }, user: { uid: 'eve@fabrikam.example', name: 'Eve' } });
  expect(toEcsLog(added)).toMatchObject({ group: { id: 't-1' }, user: { target: { id: 'eve@fabrikam.example' } } });
  expect(toOcsfLog(createEvent({ ...team, action: 'TeamCreated', targets }))).not.toHaveProperty('user');
});

test('a group of a site has its own name, and not that of the site', () => {
  const event = createEvent({
    action: 'AddedToGroup',
    resourceId: 's-1',
    resourceName: 'https://larkspur.example/sites/plan',
    resourceType: 'site',
    targets: [{ id: 'bo@larkspur.example', name: 'bo@larkspur.example', type: 'Member' }],
    details: { 'EventData.Group': 'Plan Owners' },
  });
  expect(toOcsfLog(event).group).toEqual({ name: 'Plan Owners' });
  expect(toOcsfLog(event)).toMatchObject({ user: { uid: 'bo@larkspur.example' }, unmapped: { resourceId: 's-1' } });
  expect(toEcsLog(event).group).toEqual({ name: 'Plan Owners' });
});

test('a mail is from its sender, who need not be the actor', () => {
  const mail = { resourceId: '<1@x>', resourceName: 'Pay', resourceType: 'email', actorName: 'ada@larkspur.example' };
  const fromOf = (more: Partial<AuditLogEvent>) => {
    const event = createEvent({ ...mail, ...more });
    const ecs = toEcsLog(event) as { email?: { from?: { address: string[] } } };
    return [(toOcsfLog(event).email as { from?: string } | undefined)?.from, ecs.email?.from?.address[0]];
  };
  const targets = [{ id: 'ada@larkspur.example', name: 'ada@larkspur.example', type: 'user' }];
  const gmail = { action: 'delivery', sourceName: 'gmail', targets };
  const outsider = 'eve@fabrikam.example';
  expect(fromOf({ ...gmail, details: { 'message_info.source.address': outsider } })).toEqual([outsider, outsider]);
  expect(fromOf(gmail)).toEqual([undefined, undefined]);
  const owner = 'ceo@larkspur.example';
  expect(fromOf({ action: 'SendAs', details: { SendAsUserSmtp: owner } })).toEqual([owner, owner]);
  expect(fromOf({ action: 'TIMailData', actorName: 'ThreatIntel', details: { P2Sender: outsider } })).toEqual([
    outsider,
    outsider,
  ]);
  expect(fromOf({ action: 'Send' })).toEqual(['ada@larkspur.example', 'ada@larkspur.example']);
});

test('a role that is removed is named, and the user to whom an app gives one', () => {
  const changes = removed({ 'Role.DisplayName': 'Helpdesk Administrator' });
  expect(toOcsfLog(createEvent({ ...bo, action: 'Remove member from role.', changes }))).toMatchObject({
    type_name: 'User Access Management: Revoke Privileges',
    privileges: ['Helpdesk Administrator'],
  });
  const given = [
    { name: 'AppRole.Value', before: null, after: 'Task.Read' },
    { name: 'User.ObjectID', before: null, after: 'u-1' },
    { name: 'User.UPN', before: null, after: 'bo@larkspur.example' },
  ];
  const app = { resourceId: 'sp-1', resourceName: 'Planner', resourceType: 'servicePrincipal' };
  const action = 'Add app role assignment grant to user.';
  expect(toOcsfLog(createEvent({ ...app, action, changes: given }))).toMatchObject({
    privileges: ['Task.Read'],
    user: { uid: 'u-1', name: 'bo@larkspur.example' },
    resources: [{ uid: 'sp-1', name: 'Planner' }],
  });
});

test('an action without a rule is of the base class, under its own name', () => {
  const event = toOcsfLog(createEvent({ action: 'Something new', actorIp: '203.0.113.7', userAgent: 'x' }));
  expect(event).toMatchObject({ class_uid: 0, category_uid: 0, activity_id: 99, type_uid: 99 });
  expect(event.activity_name).toBe('Something new');
  expect(event.unmapped).toMatchObject({ actorIp: '203.0.113.7', userAgent: 'x' });
});

test('an event that lacks what its class requires is of the next class that it has everything for', () => {
  expect(typeOf('FileDownloaded', 'file', { resourceId: null, resourceName: null })).toBe('Base Event: Other');
  expect(typeOf('Send', 'email')).toBe('Base Event: Other');
  expect(typeOf('Send', 'email', { actorName: 'mara@larkspur.example' })).toBe('Email Activity: Send');
  expect(typeOf('EmailBlocked', 'email', { actorName: 'mara@larkspur.example' })).toBe('Email Activity: Scan');
  expect(typeOf('Update device', 'device', { resourceId: null, resourceName: null })).toBe('Base Event: Other');
});

test('an event has its id, its time, who acted, from where, and what has no attribute', () => {
  const event = toOcsfLog(
    createEvent({
      severity: 'high',
      outcome: 'failure',
      errorCode: '5',
      externalEventId: 'e-1',
      sourceType: 'microsoft365',
      sourceName: 'Audit.SharePoint',
      workload: 'SharePoint',
      actorId: 'u-1',
      actorName: 'mara@larkspur.example',
      actorType: 'user',
      actorIp: '203.0.113.7',
      resourceId: 'f-1',
      resourceName: 'plan.docx',
      resourceType: 'file',
      deviceId: 'd-1',
      isManagedDevice: false,
      deviceOs: 'Windows 11',
      userAgent: 'Mozilla/5.0',
      details: { SiteUrl: 'https://x.example' },
    }),
  );
  expect(event).toEqual({
    category_uid: 6,
    category_name: 'Application Activity',
    class_uid: 6006,
    class_name: 'File Hosting Activity',
    activity_id: 2,
    activity_name: 'Download',
    type_uid: 600602,
    type_name: 'File Hosting Activity: Download',
    severity_id: 4,
    severity: 'High',
    time: Date.UTC(2026, 10, 20, 8),
    status_id: 2,
    status: 'Failure',
    status_code: '5',
    actor: {
      user: {
        uid: 'u-1',
        name: 'mara@larkspur.example',
        type_id: 1,
        type: 'user',
        email_addr: 'mara@larkspur.example',
      },
    },
    file: { name: 'plan.docx', type_id: 1, type: 'file', uid: 'f-1' },
    src_endpoint: { ip: '203.0.113.7' },
    device: { type_id: 0, uid: 'd-1', name: 'd-1', is_managed: false, os: { name: 'Windows 11', type_id: 100 } },
    http_request: { user_agent: 'Mozilla/5.0' },
    observables: [
      { name: 'src_endpoint.ip', type_id: 2, type: 'IP Address', value: '203.0.113.7' },
      { name: 'actor.user.uid', type_id: 31, type: 'User Object: uid', value: 'u-1' },
      { name: 'actor.user.name', type_id: 4, type: 'User Name', value: 'mara@larkspur.example' },
      { name: 'actor.user.email_addr', type_id: 5, type: 'Email Address', value: 'mara@larkspur.example' },
      { name: 'device.uid', type_id: 47, type: 'Device Object: uid', value: 'd-1' },
      { name: 'http_request.user_agent', type_id: 16, type: 'HTTP User-Agent', value: 'Mozilla/5.0' },
      { name: 'file.name', type_id: 7, type: 'File Name', value: 'plan.docx' },
      { name: 'file.uid', type_id: 10, type: 'Resource UID', value: 'f-1' },
    ],
    unmapped: { sourceType: 'microsoft365', details: { SiteUrl: 'https://x.example' } },
    metadata: {
      version: '1.8.0',
      product: { name: 'Microsoft 365', vendor_name: 'Microsoft' },
      uid: '019a9f3c-2d40-8b1e-9c57-3f0a6d2e81b4',
      original_event_uid: 'e-1',
      event_code: 'FileDownloaded',
      log_name: 'Audit.SharePoint',
      log_provider: 'SharePoint',
      logged_time: Date.UTC(2026, 10, 20, 8, 1),
      original_time: '2026-11-20T08:00:00.000Z',
      tenant_uid: '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80',
      profiles: ['host'],
    },
  });
});

test('a country is a code; one that the provider names describes the place', () => {
  const endpointIn = (location: object) =>
    toOcsfLog(createEvent({ action: 'UserLoggedIn', actorIp: '203.0.113.7', location: location as never }));
  const unplaced = { region: null, city: null, latitude: null, longitude: null, isProxy: null };
  expect(endpointIn({ ...unplaced, country: 'US', city: 'Dallas' })).toMatchObject({
    src_endpoint: { location: { country: 'US', city: 'Dallas' } },
  });
  expect(endpointIn({ ...unplaced, country: 'United States', city: 'Dallas' }).src_endpoint).toEqual({
    ip: '203.0.113.7',
    location: { desc: 'United States', city: 'Dallas' },
  });
  const named = endpointIn({ ...unplaced, country: 'United States' });
  expect(named.src_endpoint).toEqual({ ip: '203.0.113.7' });
  expect(named.unmapped).toMatchObject({ location: { country: 'United States' } });
});

test.each([
  ['oAuth2', 6, 'OAUTH 2.0'],
  ['OAuth2:Authorize', 6, 'OAUTH 2.0'],
  ['SAML_2_0', 5, 'SAML'],
  ['deviceCode', 99, 'deviceCode'],
  ['none', undefined, undefined],
])('the protocol %s of a sign-in has the number %s', (authenticationProtocol, auth_protocol_id, auth_protocol) => {
  const event = toOcsfLog(createEvent({ action: 'UserLoggedIn', signIn: { authenticationProtocol } as never }));
  expect([event.auth_protocol_id, event.auth_protocol]).toEqual([auth_protocol_id, auth_protocol]);
});

test.each([
  ['FileDownloaded', 'file'],
  ['Send', 'email'],
  ['Add service principal.', 'servicePrincipal'],
  ['Add user.', 'user'],
  ['Set-Mailbox', 'mailbox'],
  ['Something new', 'file'],
])('observables of %s name where the event has their values', (action, resourceType) => {
  const event = toOcsfLog(
    createEvent({
      action,
      resourceType,
      resourceId: 'r-1',
      resourceName: 'name',
      actorId: 'u-1',
      actorName: 'mara@larkspur.example',
      actorIp: '203.0.113.7',
      deviceId: 'd-1',
      userAgent: 'Mozilla/5.0',
    }),
  );
  const read = (path: string) =>
    path.split(/[.[\]]+/).reduce<unknown>((of, name) => (of as Record<string, unknown> | undefined)?.[name], event);
  expect(event.observables?.map(({ name }) => read(name))).toEqual(event.observables?.map(({ value }) => value));
});

test('every activity of a class has a number of its own', () => {
  for (const { activities, caption } of Object.values(ocsfClasses))
    expect(new Set(Object.values(activities)).size, caption).toBe(Object.keys(activities).length);
});

test.each([
  ['GET', 'API Activity: Read', 'access'],
  ['head', 'API Activity: Read', 'access'],
  ['POST', 'API Activity: Other', 'info'],
  ['PATCH', 'API Activity: Update', 'change'],
  ['PUT', 'API Activity: Update', 'change'],
  ['DELETE', 'API Activity: Delete', 'deletion'],
  ['TRACE', 'API Activity: Other', 'info'],
])('a request to Graph with the method %s is %s', (requestMethod, name, type) => {
  const event = createEvent({ action: 'Microsoft Graph Activity', resourceType: 'url', details: { requestMethod } });
  expect(toOcsfLog(event).type_name).toBe(name);
  expect(toEcsLog(event)).toMatchObject({ event: { category: ['api'], type: [type] } });
  const ofDefender = { ...event, details: { RequestMethod: requestMethod } };
  expect(toOcsfLog(ofDefender).type_name).toBe(name);
  const ofFormerApi = { ...event, action: 'AAD Graph Activity', details: { httpMethod: requestMethod } };
  expect(toOcsfLog(ofFormerApi).type_name).toBe(name);
});
