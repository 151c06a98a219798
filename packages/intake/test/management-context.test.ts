import { expect, test } from 'vitest';
import { guid, otherGuid, readFields } from './management-record.ts';

const named = (members: Record<string, unknown>) => Object.entries(members).map(([Name, Value]) => ({ Name, Value }));
const edge = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Edge/18.17763';

const signIn = (changes: Record<string, unknown> = {}) => ({
  Operation: 'UserLoggedIn',
  RecordType: 15,
  Workload: 'AzureActiveDirectory',
  ResultStatus: 'Success',
  ErrorNumber: '0',
  InterSystemsId: otherGuid,
  ExtendedProperties: named({
    ResultStatusDetail: 'Redirect',
    UserAgent: edge,
    UserAuthenticationMethod: '9',
    RequestType: 'OAuth2:Authorize',
  }),
  DeviceProperties: named({ OS: 'Windows 10', BrowserType: 'Edge', SessionId: guid }),
  Target: [{ ID: guid, Type: 0 }],
  ...changes,
});

test('a sign-in has its session, correlation, code, reason, user agent, system and protocol', () => {
  expect(readFields(signIn())).toMatchObject({
    recordType: '15',
    errorCode: '0',
    outcome: 'success',
    outcomeReason: 'Redirect',
    sessionId: guid,
    correlationId: otherGuid,
    userAgent: edge,
    deviceOs: 'Windows 10',
    signIn: { authenticationProtocol: 'OAuth2:Authorize', mfaResult: null, conditionalAccessStatus: null },
    targets: [{ id: guid, name: null, type: null }],
    details: { BrowserType: 'Edge', UserAuthenticationMethod: '9', ResultStatus: 'Success' },
  });
});

test('a refused sign-in has the error of the provider, of its policy or of its second factor', () => {
  const policy = readFields(
    signIn({ Operation: 'UserLoginFailed', ErrorNumber: '53003', LogonError: 'BlockedByConditionalAccess' }),
  );
  expect(policy).toMatchObject({
    outcome: 'failure',
    errorCode: '53003',
    outcomeReason: 'BlockedByConditionalAccess',
    signIn: { conditionalAccessStatus: 'failure', mfaResult: null },
  });
  const error = 'UserStrongAuthClientAuthNRequiredInterrupt';
  const factor = readFields(signIn({ Operation: 'UserLoginFailed', ErrorNumber: '50074', LogonError: error }));
  expect(factor).toMatchObject({
    outcome: null,
    description: expect.stringContaining('attempted to sign in'),
    signIn: { mfaResult: error, conditionalAccessStatus: null },
  });
});

test.each([
  [{ AADSessionId: 's1', UniqueTokenId: 't1' }, {}, 's1'],
  [{ UniqueTokenId: 't1' }, { SessionId: 's2' }, 's2'],
  [{ UniqueTokenId: 't1' }, {}, 't1'],
  [{}, {}, null],
])('the session of %j and %j is %s', (AppAccessContext, changes, sessionId) => {
  expect(readFields({ AppAccessContext, ...changes }).sessionId).toBe(sessionId);
});

test('ids that are not chosen are details', () => {
  const fields = readFields({
    AppAccessContext: {
      AADSessionId: 's1',
      UniqueTokenId: 't1',
      CorrelationId: 'c2',
      APIId: 'a1',
      IssuedAtTime: '2026-11-20T08:00:00',
    },
    CorrelationId: 'c1',
    SessionId: 's2',
    RequestId: 'r1',
  });
  expect(fields).toMatchObject({ sessionId: 's1', correlationId: 'c1' });
  expect(fields.details).toMatchObject({
    'AppAccessContext.APIId': 'a1',
    'AppAccessContext.CorrelationId': 'c2',
    'AppAccessContext.IssuedAtTime': '2026-11-20T08:00:00',
    'AppAccessContext.UniqueTokenId': 't1',
    RequestId: 'r1',
    SessionId: 's2',
  });
  expect(fields.details).not.toHaveProperty('CorrelationId');
  expect(fields.details).not.toHaveProperty('AppAccessContext.AADSessionId');
});

test.each([
  [{ ClientInfoString: `Client=OWA;${edge};` }, edge],
  [{ ClientInfoString: 'Client=OWA;Action=ViaProxy' }, null],
  [{ ClientInfoString: 'Client=REST;Client=RESTSystem;;' }, null],
  [{ ClientInfoString: 'Client=OWA;Action=Via/Proxy' }, null],
  [{ ActorInfoString: 'PowerShell/7' }, 'PowerShell/7'],
  [{ ExtendedProperties: named({ additionalDetails: JSON.stringify({ 'User-Agent': edge }) }) }, edge],
  [{ ExtendedProperties: named({ additionalDetails: '{"User-Agent":' }) }, null],
  [{ UserAgent: edge, ActorInfoString: 'x/1' }, edge],
])('the user agent of %j is %s', (changes, userAgent) => {
  expect(readFields(changes).userAgent).toBe(userAgent);
});

test('a platform is an operating system where it is a name', () => {
  expect(readFields({ Platform: 'WinDesktop' })).toMatchObject({ deviceOs: 'WinDesktop' });
  const numbered = readFields({ Platform: 1 });
  expect(numbered.deviceOs).toBeNull();
  expect(numbered.details).toMatchObject({ Platform: '1' });
});

test('the text of a result is the reason unless it is true or false', () => {
  expect(readFields({ ResultStatus: 'PartiallySucceeded' })).toMatchObject({
    outcome: 'partial',
    outcomeReason: 'PartiallySucceeded',
    description: expect.stringMatching(/^Ada\.Lovelace@contoso\.example tried to .*, which succeeded in part\.$/),
  });
  const cmdlet = readFields({ ResultStatus: 'True' });
  expect(cmdlet.outcomeReason).toBeNull();
  expect(cmdlet.details).toMatchObject({ ResultStatus: 'True' });
  expect(readFields({ ResultStatus: 'Failed', FailureReason: 'Quota exceeded' })).toMatchObject({
    outcomeReason: 'Quota exceeded',
    details: { ResultStatus: 'Failed' },
  });
});

test('an address with a port, a user type and an organization are details', () => {
  const { actorIp, details } = readFields({ ClientIP: '203.0.113.7:4711' });
  expect(actorIp).toBe('203.0.113.7');
  expect(details).toMatchObject({ ClientIP: '203.0.113.7:4711', UserType: '0' });
  expect(details).toHaveProperty('OrganizationId');
  expect(readFields({}).details).not.toHaveProperty('ClientIP');
});

test('an interaction with AI has the agent, the model, plugins, resources and classifiers', () => {
  const resource = {
    Id: 'https://contoso.example/a',
    listItemUniqueId: guid,
    Name: 'a.docx',
    Type: 'docx',
    SensitivityLabelId: otherGuid,
  };
  const interaction = (resources: unknown, changes: Record<string, unknown> = {}) =>
    readFields({
      Operation: 'CopilotInteraction',
      RecordType: 261,
      Workload: 'Copilot',
      ClientRegion: 'US',
      AgentId: 'agent-1',
      AgentName: 'Helper',
      CopilotEventData: {
        AppHost: 'Word',
        ThreadId: 'thread-1',
        AISystemPlugin: [{ Name: 'BingWebSearch', Id: 'b' }, 7],
        ModelTransparencyDetails: [{ ModelProviderName: 'OpenAI', ModelName: 'gpt' }],
        Messages: [{ Id: '1', isPrompt: true, JailbreakDetected: true, Text: 'never' }],
        AccessedResources: resources,
        ...changes,
      },
    });
  const fields = interaction([{ ...resource, XPIADetected: false, Status: 'success' }]);
  expect(fields).toMatchObject({
    location: { country: 'US', city: null },
    ai: {
      agentId: 'agent-1',
      agentName: 'Helper',
      host: 'Word',
      model: 'gpt',
      plugins: ['BingWebSearch'],
      resources: [{ id: guid, name: 'a.docx', type: 'docx', sensitivityLabelId: otherGuid }],
      jailbreak: true,
      crossPromptInjection: false,
      blocked: false,
    },
    details: { 'CopilotEventData.ThreadId': 'thread-1', 'AccessedResources.Id': 'https://contoso.example/a' },
    description: expect.stringContaining('interacted with Copilot'),
  });
  const refused = interaction([resource, { ...resource, Status: 'Failure' }]);
  expect(refused).toMatchObject({
    ai: { blocked: true },
    description: expect.stringMatching(/tried to .* which was blocked\.$/),
  });
  expect(interaction('x', { AppHost: 4, Messages: {} })).toMatchObject({
    ai: { resources: null, jailbreak: null, crossPromptInjection: null, blocked: null, host: '4' },
  });
});

test('threat intelligence, alerts and the virus scan give a verdict, data loss prevention does not', () => {
  expect(
    readFields({
      RecordType: 28,
      Verdict: 'Phish',
      PhishConfidenceLevel: 'High',
      ThreatsAndDetectionTech: ['Phish: [URL detonation]', 'Spam: [General filter]'],
      DetectionMethod: 'Advanced filter',
    }).threat,
  ).toEqual({
    verdict: 'Phish',
    level: 'High',
    name: 'Phish: [URL detonation], Spam: [General filter]',
    source: 'Advanced filter',
  });
  expect(readFields({ RecordType: 47, FileData: { FileVerdict: 1, MalwareFamily: 'Win32/Foo' } }).threat).toEqual({
    verdict: '1',
    level: null,
    name: 'Win32/Foo',
    source: null,
  });
  for (const [FileVerdict, severity] of [
    [1, 'high'],
    ['Bad', 'high'],
    ['Malicious', 'high'],
    [0, 'informational'],
    [-1, 'informational'],
  ]) {
    expect(readFields({ RecordType: 47, Operation: 'TIMailFile', FileData: { FileVerdict } }).severity).toBe(severity);
    expect(readFields({ RecordType: 28, Operation: 'TIMail', AttachmentData: [{ FileVerdict }] }).severity).toBe(
      severity,
    );
  }
  const alert = { RecordType: 40, AlertId: guid, Name: 'Mass delete', Severity: 'High', Source: 'Cloud App Security' };
  expect(readFields({ ...alert, Category: 'ThreatManagement' })).toMatchObject({
    category: 'ThreatManagement',
    threat: { verdict: 'ThreatManagement', level: 'High', name: 'Mass delete', source: 'Cloud App Security' },
  });
  const data = JSON.stringify({ etype: 'MalwareFamily', eid: 'Win32/Foo', sev: 'High', an: 'Malware' });
  expect(readFields({ RecordType: 40, Data: data }).threat).toEqual({
    verdict: 'malware',
    level: 'High',
    name: 'Win32/Foo',
    source: null,
  });
  expect(readFields({ ...alert, Category: 'DataLossPrevention' }).threat).toBeNull();
  expect(readFields({ Operation: 'FileMalwareDetected', VirusInfo: 'EICAR', VirusVendor: 'Default' }).threat).toEqual({
    verdict: 'malware',
    level: null,
    name: 'EICAR',
    source: 'Default',
  });
  expect(readFields({ RecordType: 11, Verdict: 'Phish' }).threat).toBeNull();
});

test.each([
  [2, 'failure', 'medium', 'tried to open the link https://evil.example in SharePoint, which was blocked.'],
  [3, null, 'medium', 'clicked the link https://evil.example in SharePoint.'],
  [4, 'success', 'high', 'opened the link https://evil.example in SharePoint.'],
  ['5', 'success', 'medium', 'opened the link https://evil.example in SharePoint.'],
  ['BlockPageOverride', 'success', 'high', 'opened the link https://evil.example in SharePoint.'],
  [undefined, null, 'medium', 'clicked the link https://evil.example in SharePoint.'],
])('a click with the action %s has the outcome %s', (URLClickAction, outcome, severity, sentence) => {
  const URL = 'https://evil.example';
  const fields = readFields({ RecordType: 41, Operation: 'TIUrlClickData', URL, URLClickAction });
  expect(fields).toMatchObject({ outcome, severity, resourceId: URL, resourceType: 'url' });
  expect(fields.description).toContain(sentence);
  expect(fields.details ?? {}).not.toHaveProperty('URL');
});
