import { describe, expect, test } from 'vitest';
import { type Members, readFacts, readManagementFacts } from './log-fact-records.ts';
import { management, readDocument, readRow } from './message.ts';

function copilot(event: Members, record: Members = {}) {
  const interaction = { Operation: 'CopilotInteraction', RecordType: 261, Workload: 'Copilot', ...record };
  return readManagementFacts({ ...interaction, CopilotEventData: { AppHost: 'Word', ThreadId: '19:t', ...event } });
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

  test('has no secrets of the addresses that it opened', () => {
    const address = 'https://contoso.example/Plan.docx?sig=z9secret';
    const [fact] = copilot({
      AccessedResources: [{ Id: address, Name: 'Plan', SiteUrl: address, XPIADetected: true }],
    });
    const shown = 'https://contoso.example/Plan.docx?sig=[removed]';
    expect(fact?.facts).toMatchObject({
      resources: [{ id: shown, siteUrl: shown }],
      threats: [{ threatType: 'xpia', resourceId: shown }],
    });
  });

  test.each(['AIInvokeAgent', 'AIExecuteTool', 'AIInferenceCall'])('of Agent 365, %s, names the agent', (Operation) => {
    const record = { Operation, RecordType: 400, Workload: 'Agent365', AgentId: 'a-1', AgentName: 'Falcon' };
    expect(readManagementFacts(record)).toMatchObject([{ kind: 'aiInteraction', agentId: 'a-1', agentName: 'Falcon' }]);
    expect(readDocument('o365.management-activity', management(record))).toMatchObject({
      resourceId: 'a-1',
      resourceName: 'Falcon',
      resourceType: 'agent',
      ai: { agentId: 'a-1', agentName: 'Falcon' },
    });
  });

  test('with Gemini has the application as its host, and does not exist where Gemini acted of its own accord', () => {
    const readGemini = (category: string) =>
      readFacts('google.reports.activity', {
        id: { time: '2026-11-20T08:00:00Z', uniqueQualifier: '1', applicationName: 'gemini_in_workspace_apps' },
        actor: { email: 'mara@contoso.example', profileId: '7' },
        events: [
          {
            type: 'ai_usage_event',
            name: 'feature_utilization',
            parameters: [
              { name: 'app_name', value: 'docs' },
              { name: 'event_category', value: category },
            ],
          },
        ],
      });
    expect(readGemini('active_generate')).toMatchObject([{ kind: 'aiInteraction', appHost: 'docs', actorId: '7' }]);
    expect(readGemini('inactive')).toEqual([]);
  });

  test('without an agent or resources is an interaction too', () => {
    expect(copilot({})).toMatchObject([
      { kind: 'aiInteraction', agentId: null, facts: { resources: [], threats: [] } },
    ]);
    expect(readManagementFacts({ Operation: 'CopilotInteraction', CopilotEventData: 'odd' })).toMatchObject([
      { kind: 'aiInteraction', facts: { resources: [] } },
    ]);
  });

  test('that is JSON text is the same interaction', () => {
    const event = { AppHost: 'Word', Messages: [{ JailbreakDetected: true }], AccessedResources: [{ Id: 'a' }] };
    const record = { Operation: 'CopilotInteraction', RecordType: 261 };
    const facts = readManagementFacts({ ...record, CopilotEventData: JSON.stringify(event) });
    expect(facts).toEqual(readManagementFacts({ ...record, CopilotEventData: event }));
    expect(facts).toMatchObject([{ facts: { threats: [{ threatType: 'jailbreak' }], resources: [{ id: 'a' }] } }]);
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
    readManagementFacts({
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

  test('names a secret that changed without its values', () => {
    const ModifiedProperties = [{ Name: 'ApiKey', OldValue: 'a', NewValue: 'b' }];
    const changed = { Property: 'ClientSecret', OldValue: 'abc', NewValue: 'def', ModifiedProperties };
    const [fact] = bot('UpdatedAgent', { Workload: 'Copilot', RecordType: 384, AgentId: 'a1', ...changed });
    const removed = '[removed]';
    expect(fact?.facts).toMatchObject({
      details: {
        ...{ property: 'ClientSecret', oldValue: removed, newValue: removed },
        changed: [{ name: 'ApiKey', from: removed, to: removed }],
      },
    });
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
    expect(readFacts('entra.audit.graph', audit({}))).toEqual([]);
    expect(readFacts('entra.audit.graph', audit({ agentType: 'notAgentic' }))).toEqual([]);
    expect(readFacts('entra.audit.graph', audit({ agentType: 'agenticAppInstance' }))).toMatchObject([
      { kind: 'agentLifecycle', agentId: 'sp1', actorId: 'u1', facts: { event: 'create', source: 'entra' } },
    ]);
    expect(
      readManagementFacts({ Operation: 'Delete application.', RecordType: 8, Workload: 'AzureActiveDirectory' }),
    ).toEqual([]);
  });

  test('is not reported for a change of a whole environment', () => {
    expect(bot('EnvironmentVariableUpdate', { BotId: undefined })).toEqual([]);
  });
});
