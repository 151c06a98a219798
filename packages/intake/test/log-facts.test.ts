import type { ActivityFormatName } from '@tenantscope/intake';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { management, readRow } from './message.ts';

type Members = Record<string, unknown>;

/** The facts of a record, each with its kind and its agent. */
function factsOf(format: ActivityFormatName, record: Members) {
  return readRow(format, record).facts.map(({ facts, ...rest }) => ({ ...rest, facts: JSON.parse(facts) as Members }));
}
const ofManagement = (record: Members) => factsOf('o365.management-activity', management(record));

function copilot(event: Members, record: Members = {}) {
  const interaction = { Operation: 'CopilotInteraction', RecordType: 261, Workload: 'Copilot', ...record };
  return ofManagement({ ...interaction, CopilotEventData: { AppHost: 'Word', ThreadId: '19:t', ...event } });
}

describe('an interaction with an AI', () => {
  test('names the user, the agent and the resources, and never the texts', () => {
    const [fact, ...others] = copilot(
      {
        AccessedResources: [
          {
            Id: 'https://contoso.example/Plan.docx',
            listItemUniqueId: '1d2e',
            Name: 'Plan.docx',
            Type: 'docx',
            SiteUrl: 'https://contoso.example/Plan.docx',
            SensitivityLabelId: 'l1',
            Action: 'Read',
          },
        ],
        Messages: [{ Id: '1', isPrompt: true, Text: 'the secret plan' }],
        Prompt: 'the secret plan',
        ModelTransparencyDetails: [{ ModelName: 'gpt', ModelProviderName: 'openai' }],
      },
      { AgentId: 'CopilotStudio.Falcon', AgentName: 'Falcon', UserId: 'mara@contoso.example', Id: 'e1' },
    );
    expect(others).toEqual([]);
    expect(fact).toMatchObject({
      kind: 'aiInteraction',
      agentId: 'CopilotStudio.Falcon',
      facts: {
        agentId: 'CopilotStudio.Falcon',
        agentName: 'Falcon',
        appHost: 'Word',
        threadId: '19:t',
        action: 'CopilotInteraction',
        actorName: 'mara@contoso.example',
        actorType: 'user',
        isExternal: false,
        externalEventId: 'e1',
        resources: [{ id: '1d2e', name: 'Plan.docx', type: 'docx', labelId: 'l1', action: 'Read' }],
        threats: [],
        model: 'gpt',
      },
    });
    expect(fact?.actorId).toBe(
      readRow('o365.management-activity', management({ UserId: 'mara@contoso.example' })).columns.actorId,
    );
    expect(JSON.stringify(fact)).not.toContain('secret plan');
  });

  test('without an agent or resources is an interaction too', () => {
    expect(copilot({})).toMatchObject([
      { kind: 'aiInteraction', agentId: null, facts: { resources: [], threats: [] } },
    ]);
    expect(ofManagement({ Operation: 'CopilotInteraction', CopilotEventData: 'odd' })).toMatchObject([
      { kind: 'aiInteraction', facts: { resources: [] } },
    ]);
  });

  test.each([
    [{ XPIADetected: true }, [{ threatType: 'xpia', outcome: 'detected' }]],
    [{ XPIADetected: true, Status: 'failure' }, [{ threatType: 'xpia', outcome: 'blocked' }]],
    [{ PolicyDetails: { PolicyId: 'p' }, Status: 'failure' }, [{ threatType: 'policyBlock', outcome: 'blocked' }]],
    [{ PolicyDetails: 'p' }, [{ threatType: 'policyBlock', outcome: 'unknown' }]],
    [{ PolicyDetails: { PolicyId: 'p' }, Status: 'success' }, []],
    [{ PolicyDetails: '', Status: 'failure' }, []],
    [{ PolicyDetails: {} }, []],
    [{ XPIADetected: 'no' }, []],
  ])('with a resource %j has the threats %j', (resource, threats) => {
    const [fact] = copilot({ AccessedResources: [{ Id: 'r1', Name: 'R', ...resource }] });
    expect(fact?.facts.threats).toMatchObject(
      threats.map((threat) => ({ ...threat, resourceId: 'r1', resourceName: 'R' })),
    );
    expect(fact?.facts.threats).toHaveLength(threats.length);
  });

  test('with a jailbreak attempt reports it once', () => {
    const [fact] = copilot({ Messages: [{ JailbreakDetected: true }, { JailbreakDetected: 'True' }] });
    expect(fact?.facts.threats).toEqual([{ threatType: 'jailbreak', outcome: 'detected' }]);
  });

  test('has a limited size and visible characters only', () => {
    const many = Array.from({ length: 200 }, () => ({
      Id: 'x'.repeat(4_000),
      Name: 'a\u202eb\u0000',
      XPIADetected: true,
    }));
    const [fact] = copilot({ AccessedResources: many });
    expect(fact?.facts.resources).toHaveLength(100);
    expect(fact?.facts.resources).toContainEqual(expect.objectContaining({ name: 'a\\u{202E}b\\u{0}' }));
    expect(JSON.stringify(fact).length).toBeLessThan(200_000);
  });
});

describe('a lifecycle event of an agent', () => {
  const bot = (operation: string, members: Members = {}) =>
    ofManagement({
      Operation: operation,
      RecordType: 256,
      Workload: 'PowerPlatform',
      BotId: 'b1',
      BotName: 'Falcon',
      ResultStatus: 'Success',
      ...members,
    });

  test.each([
    ['BotCreate', 'create'],
    ['BotUpdateOperation-BotPublish', 'publish'],
    ['BotUpdateOperation-BotShare', 'share'],
    ['BotUpdateOperation-BotAuthUpdate', 'update'],
    ['BotComponentDelete', 'update'],
    ['AIPluginOperation-Create', 'update'],
    ['EnvironmentVariableUpdate', 'update'],
    ['BotDelete', 'delete'],
    ['DeployedAgent', 'deploy'],
    ['RemovedAgent', 'undeploy'],
    ['BlockedAgent', 'block'],
    ['UnblockedAgent', 'unblock'],
    ['DisableCopilotPlugin', 'block'],
  ])('the action %s is the event %s', (operation, event) => {
    expect(bot(operation)).toMatchObject([
      {
        kind: 'agentLifecycle',
        agentId: 'b1',
        facts: { event, operation, agentId: 'b1', agentName: 'Falcon', source: 'powerPlatform', result: 'success' },
      },
    ]);
  });

  test('names the change without prose and without secrets', () => {
    const [fact] = bot('UpdatedAgent', {
      Workload: 'Copilot',
      RecordType: 384,
      AgentId: 'a1',
      BotId: undefined,
      Property: 'Authentication',
      OldValue: 'none',
      NewValue: 'client_secret=hunter2hunter2',
      ModifiedProperties: [
        { Name: 'Instructions', OldValue: 'Be kind', NewValue: 'Be rude' },
        { Name: 'Channel', OldValue: '', NewValue: 'teams' },
      ],
    });
    expect(fact).toMatchObject({
      agentId: 'a1',
      facts: {
        source: 'microsoft365AdminCenter',
        details: {
          property: 'Authentication',
          oldValue: 'none',
          changed: [{ name: 'Instructions' }, { name: 'Channel', to: 'teams' }],
        },
      },
    });
    expect(JSON.stringify(fact)).not.toMatch(/hunter2|Be kind|Be rude/);
  });

  test('in the directory is reported for agents only', () => {
    const audit = (members: Members) => ({
      id: 'a',
      activityDateTime: '2026-11-20T08:00:00Z',
      activityDisplayName: 'Add service principal',
      result: 'success',
      initiatedBy: { user: { id: 'u1', userPrincipalName: 'mara@contoso.example' } },
      targetResources: [{ id: 'sp1', displayName: 'Falcon', type: 'ServicePrincipal', ...members }],
    });
    expect(factsOf('entra.audit.graph', audit({}))).toEqual([]);
    expect(factsOf('entra.audit.graph', audit({ agentType: 'notAgentic' }))).toEqual([]);
    expect(factsOf('entra.audit.graph', audit({ agentType: 'agenticAppInstance' }))).toMatchObject([
      { kind: 'agentLifecycle', agentId: 'sp1', actorId: 'u1', facts: { event: 'create', source: 'entra' } },
    ]);
    expect(ofManagement({ Operation: 'Delete application.', RecordType: 8, Workload: 'AzureActiveDirectory' })).toEqual(
      [],
    );
  });

  test('is not reported for a change of a whole environment', () => {
    expect(bot('EnvironmentVariableUpdate', { BotId: undefined })).toEqual([]);
  });
});

const entraChange = (operation: string, properties: Record<string, string>, members: Members = {}) =>
  ofManagement({
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
    expect(factsOf('entra.audit.azuremonitor', frame)).toMatchObject([
      { actorId: 'u1', facts: { roleName: 'Application Administrator', targetId: 'u2', change: 'add' } },
    ]);
  });
});

describe('external forwarding', () => {
  const rule = (operation: string, parameters: Record<string, string>, members: Members = {}) =>
    ofManagement({
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
    expect(factsOf('google.reports.activity', activity)).toMatchObject([
      { kind: 'externalForwarding', facts: { mailbox: 'mara@contoso.example', recipients: ['x@evil.example'] } },
    ]);
  });
});

test('any other record has no facts', () => {
  expect(ofManagement({ Operation: 'FileAccessed' })).toEqual([]);
  expect(ofManagement({ Operation: 'BotStatistics' })).toEqual([]);
});

/** Members that readers of facts ask for. */
const members = fc.dictionary(
  fc.constantFrom(
    ...'CopilotEventData AccessedResources Messages PolicyDetails ModelTransparencyDetails Parameters OperationProperties'.split(
      ' ',
    ),
    ...'ModifiedProperties targetResources properties PropertyCollection AgentId BotId Property OldValue NewValue Name Value'.split(
      ' ',
    ),
    ...'displayName modifiedProperties newValue oldValue type ID Target ExtendedProperties AgentType Status'.split(' '),
  ),
  fc.jsonValue({ maxDepth: 4 }),
);
const value = fc.oneof(fc.jsonValue(), members, fc.array(members, { maxLength: 3 }));

test('facts of any record are JSON of a limited size with visible characters only', {
  tags: 'exhaustive',
}, () => {
  const operations = ['CopilotInteraction', 'UpdatedAgent', 'Add service principal', 'Consent to application.'];
  const others = [
    'Add app role assignment to service principal.',
    'Add member to role.',
    'New-InboxRule',
    'Set-Mailbox',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...operations, ...others), members, value, (Operation, record, content) => {
      const nested = {
        ModifiedProperties: content,
        targetResources: content,
        CopilotEventData: content,
        Parameters: content,
      };
      const { CreationTime, OrganizationId } = management();
      for (const { facts } of readRow('o365.management-activity', {
        ...nested,
        ...record,
        ...{ Operation, CreationTime, OrganizationId, RecordType: 6 },
      }).facts) {
        expect(JSON.parse(facts)).toBeTypeOf('object');
        expect(facts).not.toMatch(/\\u0000|\u202e/);
        expect(facts.length).toBeLessThan(1_000_000);
      }
    }),
    { numRuns: 2_000 },
  );
});
