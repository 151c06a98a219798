import { describe, expect, test } from 'vitest';
import { type Members, readFacts, readManagementFacts } from './log-fact-records.ts';

const entraChange = (operation: string, properties: Record<string, string>, members: Members = {}) =>
  readManagementFacts({
    Operation: operation,
    RecordType: 8,
    Workload: 'AzureActiveDirectory',
    ResultStatus: 'Success',
    ModifiedProperties: Object.entries(properties).map(([Name, NewValue]) => ({ Name, NewValue, OldValue: '' })),
    Target: [
      { ID: 'ServicePrincipal_f1040392-8694-4660-b5c5-230d91345d57', Type: 2 },
      { ID: 'f1040392-8694-4660-b5c5-230d91345d57', Type: 2 },
      { ID: 'ServicePrincipal', Type: 2 },
      { ID: 'SANS-Test', Type: 1 },
    ],
    ...members,
  });

describe('a consent', () => {
  test('names the application and its current permissions', () => {
    const granted =
      '[[Id: a, ConsentType: Principal, Scope:  openid]] => [[Id: a, ClientId: f1, ConsentType: Principal, Scope:  openid Mail.Read], [Id: b, ConsentType: AllPrincipals, Scope: Mail.Send]]; ';
    expect(
      entraChange('Consent to application.', {
        'ConsentContext.IsAdminConsent': 'True',
        'ConsentAction.Permissions': granted,
        'TargetId.ServicePrincipalNames': 'f432adf3-0094-4645-95c4-12b1894c7e23;https://x.example',
      }),
    ).toMatchObject([
      {
        kind: 'consent',
        agentId: null,
        facts: {
          clientId: 'f432adf3-0094-4645-95c4-12b1894c7e23',
          objectId: 'f1040392-8694-4660-b5c5-230d91345d57',
          adminConsent: true,
          permissions: ['openid', 'Mail.Read', 'Mail.Send'],
        },
      },
    ]);
  });

  test('by a role or a grant names the app that received it, not the resource', () => {
    const client = {
      'ServicePrincipal.ObjectID': '2383A669',
      'ServicePrincipal.AppId': 'a62919b8-3d73-4b3f-ab2a-3790b3cb8550',
    };
    const names = { 'TargetId.ServicePrincipalNames': 'c5393580-f805-4401-95e8-94b7a6ef2fc2' };
    expect(
      entraChange('Add app role assignment to service principal.', {
        ...client,
        ...names,
        'AppRole.Value': 'Mail.Read',
      }),
    ).toMatchObject([
      {
        facts: {
          clientId: 'a62919b8-3d73-4b3f-ab2a-3790b3cb8550',
          objectId: '2383A669',
          adminConsent: true,
          permissions: ['Mail.Read'],
          resourceName: 'SANS-Test',
        },
      },
    ]);
    const [grant] = entraChange('Add delegated permission grant.', {
      ...names,
      'ServicePrincipal.ObjectID': '2383a669',
      'DelegatedPermissionGrant.Scope': ' User.Read  Mail.Read',
      'DelegatedPermissionGrant.ConsentType': 'Principal',
    });
    expect(grant?.facts).toMatchObject({
      objectId: '2383a669',
      adminConsent: false,
      permissions: ['User.Read', 'Mail.Read'],
    });
    expect(grant?.facts).not.toHaveProperty('clientId');
  });

  test('that failed is not reported', () => {
    expect(entraChange('Consent to application.', {}, { ResultStatus: 'Failure' })).toEqual([]);
  });
});

describe('a privileged role', () => {
  test.each([
    ['Add member to role.', 'Exchange Administrator', 'add'],
    ['Remove member from role.', 'Company Administrator', 'remove'],
  ])('with the action %s and the role %s is reported: %s', (operation, role, change) => {
    expect(entraChange(operation, { 'Role.DisplayName': role })).toMatchObject([
      { kind: 'privilegedRole', facts: { roleName: role, targetId: 'f1040392-8694-4660-b5c5-230d91345d57', change } },
    ]);
  });

  test('is distinguished from other roles, and an unnamed role counts as privileged', () => {
    expect(entraChange('Add member to role.', { 'Role.DisplayName': 'Reports Reader' })).toEqual([]);
    expect(entraChange('Add member to role.', {})).toMatchObject([{ kind: 'privilegedRole' }]);
  });

  test('in a frame of Azure Monitor names the role and its member', () => {
    const properties = {
      activityDisplayName: 'Add member to role in PIM completed (permanent)',
      activityDateTime: '2026-11-20T08:00:00Z',
      result: 'success',
      initiatedBy: { user: { id: 'u1' } },
      targetResources: [
        { type: 'Role', id: 'r1', displayName: 'Application Administrator' },
        { type: 'User', id: 'u2', displayName: 'Malenia' },
      ],
    };
    const frame = { category: 'AuditLogs', time: '2026-11-20T08:00:00Z', properties };
    expect(readFacts('entra.audit.azuremonitor', frame)).toMatchObject([
      { actorId: 'u1', facts: { roleName: 'Application Administrator', targetId: 'u2', change: 'add' } },
    ]);
  });
});

describe('external forwarding', () => {
  const rule = (operation: string, parameters: Record<string, string>, members: Members = {}) =>
    readManagementFacts({
      Operation: operation,
      RecordType: 1,
      Workload: 'Exchange',
      ResultStatus: 'True',
      OrganizationName: 'contoso.example',
      UserId: 'mara@contoso.example',
      ObjectId: 'mara\\Invoices',
      Parameters: Object.entries(parameters).map(([Name, Value]) => ({ Name, Value })),
      ...members,
    });

  test('by a rule names the mailbox, the recipients and the rule', () => {
    expect(rule('New-InboxRule', { Name: 'Invoices', ForwardTo: 'x@evil.example;y@contoso.example' })).toMatchObject([
      {
        kind: 'externalForwarding',
        facts: { mailbox: 'mara@contoso.example', recipients: ['x@evil.example'], rule: 'Invoices' },
      },
    ]);
    const properties = { RuleName: 'R', RuleActions: '[{"ActionType":"Forward","Recipients":["x@evil.example"]}]' };
    const OperationProperties = Object.entries(properties).map(([Name, Value]) => ({ Name, Value }));
    expect(rule('UpdateInboxRules', {}, { OperationProperties, MailboxOwnerUPN: 'ion@contoso.example' })).toMatchObject(
      [{ facts: { mailbox: 'ion@contoso.example', recipients: ['x@evil.example'], rule: 'R' } }],
    );
  });

  test("by the mailbox's own setting names no rule", () => {
    const [fact] = rule('Set-Mailbox', { Identity: 'ion', ForwardingSmtpAddress: 'smtp:x@evil.example' });
    expect(fact?.facts).toMatchObject({ mailbox: 'ion', recipients: ['x@evil.example'] });
    expect(fact?.facts).not.toHaveProperty('rule');
  });

  test('is not reported for internal recipients or for a failure', () => {
    expect(rule('Set-Mailbox', { ForwardingSmtpAddress: 'y@contoso.example' })).toEqual([]);
    expect(rule('New-InboxRule', { ForwardTo: 'x@evil.example' }, { ResultStatus: 'False' })).toEqual([]);
  });

  test('at Google is reported by the event itself', () => {
    const event = {
      type: 'email_forwarding_change',
      name: 'email_forwarding_out_of_domain',
      parameters: [{ name: 'email_forwarding_destination_address', value: 'x@evil.example' }],
    };
    const activity = {
      id: { time: '2026-11-20T08:00:00Z', uniqueQualifier: '1', applicationName: 'user_accounts' },
      actor: { email: 'mara@contoso.example', profileId: '7' },
      events: [event],
    };
    expect(readFacts('google.reports.activity', activity)).toMatchObject([
      { kind: 'externalForwarding', facts: { mailbox: 'mara@contoso.example', recipients: ['x@evil.example'] } },
    ]);
  });
});
