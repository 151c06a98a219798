import { describe, expect, test } from 'vitest';
import { severityRules } from '../src/severity/rules.ts';
import { management, readDocument } from './message.ts';

function severityOf(changes: Record<string, unknown>): unknown {
  return readDocument('o365.management-activity', management({ RecordType: 1, ...changes })).severity;
}

/** Parameters of a cmdlet. */
function parameters(values: Record<string, string>): { Parameters: unknown } {
  return { Parameters: Object.entries(values).map(([Name, Value]) => ({ Name, Value })) };
}

/** A rule that Outlook itself stores. */
function ofOutlook(actions: readonly object[]): Record<string, unknown> {
  const properties = { RuleOperation: 'AddMailboxRule', RuleName: 'R', RuleActions: JSON.stringify(actions) };
  const OperationProperties = Object.entries(properties).map(([Name, Value]) => ({ Name, Value }));
  return { Operation: 'UpdateInboxRules', RecordType: 2, OperationProperties };
}

function modified(Name: string, NewValue: string): { ModifiedProperties: unknown } {
  return { ModifiedProperties: [{ Name, NewValue, OldValue: '' }] };
}

const dlp = (...severities: string[]) => ({
  RecordType: 11,
  Operation: 'DlpRuleMatch',
  PolicyDetails: [{ Rules: severities.map((Severity) => ({ Severity })) }],
});
const machinery = { UserId: 'NT AUTHORITY\\SYSTEM (w3wp)', UserType: 3 };
const signInFailed = { RecordType: 15, Operation: 'UserLoginFailed' };

describe("the severity is never below the provider's own, nor below the rules", () => {
  test.each([
    [dlp('Low', 'High', 'Medium'), 'high'],
    [dlp('Low'), 'low'],
    [{ ...dlp('High'), Operation: 'DlpRuleUndo' }, 'high'],
    [{ ...dlp('Low'), Operation: 'DlpRuleUndo' }, 'medium'],
    [{ RecordType: 40, Operation: 'AlertTriggered', Severity: 'Informational' }, 'informational'],
    [{ RecordType: 40, Operation: 'AlertTriggered', Severity: 'High', ...machinery }, 'high'],
    [{ RecordType: 40, Operation: 'AlertTriggered', Severity: 'Purple' }, 'informational'],
  ])('%o has the severity %s', (changes, severity) => {
    expect(severityOf(changes)).toBe(severity);
  });
});

test.each([
  'urn:spo:guest#eve@other.example',
  'eve_other.example#EXT#@contoso.example',
  'i:0#.f|membership|eve_other.example#ext#@contoso.example',
])('sharing with %s is sharing with a guest', (TargetUserOrGroupName) => {
  expect(severityOf({ RecordType: 14, Operation: 'SharingSet', TargetUserOrGroupName })).toBe('medium');
});

const accessPolicy = (grantControls: object | undefined, state = 'enabled') =>
  JSON.stringify({ displayName: 'MFA', state, grantControls });
const requiresMfa = { operator: 'OR', builtInControls: ['block', 'MFA'], authenticationStrength: null };

test.each([
  [accessPolicy(undefined), 'high'],
  [accessPolicy({ operator: 'OR', builtInControls: ['compliantDevice'] }), 'high'],
  [accessPolicy(requiresMfa, 'enabledForReportingButNotEnforced'), 'high'],
  [accessPolicy({ operator: 'AND', builtInControls: ['compliantDevice', 'mfa'] }), 'medium'],
  [accessPolicy({ operator: 'OR', builtInControls: [], authenticationStrength: { id: 's-1' } }), 'medium'],
])('a policy named MFA that required it and becomes %s has the severity %s', (newValue, severity) => {
  const modifiedProperties = [
    { displayName: 'ConditionalAccessPolicy', oldValue: accessPolicy(requiresMfa), newValue },
  ];
  const record = {
    activityDateTime: '2026-11-20T09:00:00Z',
    activityDisplayName: 'Update conditional access policy',
    result: 'success',
    targetResources: [{ id: 'p-1', displayName: 'MFA', type: 'Policy', modifiedProperties }],
  };
  expect(readDocument('entra.audit.graph', record).severity).toBe(severity);
});

test.each([
  [['https://mail.google.com/'], 'medium'],
  [['openid', 'https://www.googleapis.com/auth/drive'], 'medium'],
  [['https://www.googleapis.com/auth/gmail.readonly'], 'medium'],
  [['https://www.googleapis.com/auth/admin.directory.user'], 'medium'],
  [['https://www.googleapis.com/auth/drive.file', 'openid'], 'informational'],
])('the consent to %j in Google has the severity %s', (multiValue, severity) => {
  const record = {
    id: { time: '2026-11-20T10:00:00.000Z', uniqueQualifier: '1', applicationName: 'token' },
    actor: { email: 'ada@contoso.example', profileId: '1' },
    events: [{ type: 'auth', name: 'authorize', parameters: [{ name: 'scope', multiValue }] }],
  };
  expect(readDocument('google.reports.activity', record).severity).toBe(severity);
});

describe('the rules', () => {
  test.each([
    [{ Operation: 'Set federation settings on domain.' }, 'critical'],
    [{ Operation: 'Set-AdminAuditLogConfig', ...parameters({ UnifiedAuditLogIngestionEnabled: 'False' }) }, 'critical'],
    [{ Operation: 'Set-AdminAuditLogConfig', ...parameters({ UnifiedAuditLogIngestionEnabled: 'True' }) }, 'low'],
    [{ Operation: 'Add member to role.', ...modified('Role.DisplayName', '"Global Administrator"') }, 'critical'],
    [{ Operation: 'Add member to role.', ...modified('Role.DisplayName', '"Reports Reader"') }, 'medium'],
    [{ Operation: 'FileMalwareDetected', RecordType: 6 }, 'critical'],
    [{ Operation: 'Consent to application.', ...modified('ConsentContext.IsAdminConsent', 'True') }, 'high'],
    [{ Operation: 'Consent to application.', ...modified('ConsentContext.IsAdminConsent', 'False') }, 'medium'],
    [{ Operation: 'Update application – Certificates and secrets management ' }, 'high'],
    [{ Operation: 'New-InboxRule', ...parameters({ ForwardTo: 'eve@fabrikam.example' }) }, 'high'],
    [{ Operation: 'New-InboxRule', ...parameters({ ForwardTo: '"Eve" [SMTP:eve@fabrikam.example]' }) }, 'high'],
    [{ Operation: 'New-InboxRule', ...parameters({ ForwardTo: 'bob@contoso.example' }) }, 'low'],
    [{ Operation: 'New-InboxRule', ...parameters({ MoveToFolder: 'RSS' }) }, 'medium'],
    [ofOutlook([{ ActionType: 'Forward', Recipients: ['eve@fabrikam.example'] }]), 'high'],
    [ofOutlook([{ ActionType: 'Forward', Recipients: ['bob@contoso.example'] }]), 'low'],
    [ofOutlook([{ ActionType: 'MarkAsRead' }, { ActionType: 'Delete' }]), 'medium'],
    [ofOutlook([{ ActionType: 'MoveToFolder' }]), 'low'],
    [{ Operation: 'New-InboxRule', ...parameters({ MoveToFolder: 'Projects' }) }, 'low'],
    [{ Operation: 'New-InboxRule', ...parameters({ DeleteMessage: 'True' }) }, 'medium'],
    [{ Operation: 'Set-Mailbox', ...parameters({ ForwardingSmtpAddress: 'smtp:eve@fabrikam.example' }) }, 'high'],
    [{ Operation: 'Set-Mailbox', ...parameters({ ForwardingSmtpAddress: 'smtp:ada@CONTOSO.example' }) }, 'low'],
    [{ Operation: 'Set-Mailbox', Parameters: 'ForwardingSmtpAddress smtp:eve@fabrikam.example' }, 'low'],
    [{ Operation: 'New-TransportRule' }, 'high'],
    [{ Operation: 'Add-MailboxPermission', ...parameters({ User: 'bob', AccessRights: 'FullAccess' }) }, 'high'],
    [
      {
        Operation: 'Add-MailboxPermission',
        ...parameters({ User: 'Ada.Lovelace@contoso.example', AccessRights: 'FullAccess' }),
      },
      'low',
    ],
    [
      { Operation: 'Add-MailboxPermission', ...parameters({ User: 'bob', AccessRights: 'FullAccess' }), ...machinery },
      'informational',
    ],
    [
      {
        Operation: 'CopilotInteraction',
        RecordType: 261,
        CopilotEventData: { Messages: [{ JailbreakDetected: true }] },
      },
      'high',
    ],
    [
      {
        Operation: 'CopilotInteraction',
        RecordType: 261,
        CopilotEventData: { AccessedResources: [{ XPIADetected: true }] },
      },
      'high',
    ],
    [
      {
        Operation: 'CopilotInteraction',
        RecordType: 261,
        CopilotEventData: { Messages: [{ JailbreakDetected: false }] },
      },
      'informational',
    ],
    [{ Operation: 'AnonymousLinkCreated', RecordType: 14 }, 'medium'],
    [{ Operation: 'AddedToSecureLink', RecordType: 14, TargetUserOrGroupType: 'Guest' }, 'medium'],
    [{ Operation: 'AddedToSecureLink', RecordType: 14, TargetUserOrGroupType: 'Member' }, 'low'],
    [{ Operation: 'Invite external user' }, 'medium'],
    [{ Operation: 'DlpRuleUndo', RecordType: 11 }, 'medium'],
    [{ Operation: 'Add member to group.' }, 'medium'],
    [{ ...signInFailed, LogonError: 'IdsLocked' }, 'medium'],
    [{ ...signInFailed, ErrorNumber: '50053' }, 'medium'],
    [{ ...signInFailed, ErrorNumber: '50126' }, 'low'],
    [{ ...signInFailed, ErrorNumber: '50058' }, 'informational'],
    [{ RecordType: 15, Operation: 'UserLoggedIn' }, 'informational'],
    [{ Operation: 'Set-User' }, 'low'],
    [{ Operation: 'Set-User', ...machinery }, 'informational'],
    [{ Operation: 'Get-DlpPolicy' }, 'informational'],
    [{ Operation: 'FileUploaded', RecordType: 6 }, 'low'],
    [{ Operation: 'FileAccessed', RecordType: 6 }, 'informational'],
    [{ Operation: 'hasOwnProperty' }, 'informational'],
  ])('%o has the severity %s', (changes, severity) => {
    expect(severityOf(changes)).toBe(severity);
  });
});

test('reads and unknown operations are informational', () => {
  expect(severityOf({ Operation: 'SomethingNobodyKnows' })).toBe('informational');
});

describe('a failed action is rated lower than the same action done', () => {
  const forward = { Operation: 'Set-Mailbox', ...parameters({ ForwardingSmtpAddress: 'smtp:eve@fabrikam.example' }) };
  test.each([
    [{ ...forward, ResultStatus: 'True' }, 'high'],
    [{ ...forward, ResultStatus: 'False' }, 'medium'],
    [{ Operation: 'Set federation settings on domain.', ResultStatus: 'Failure' }, 'medium'],
    [{ Operation: 'Add member to group.', ResultStatus: 'Failure' }, 'low'],
    [{ Operation: 'Set-User', ResultStatus: 'False' }, 'low'],
    [{ Operation: 'FileMalwareDetected', RecordType: 6, ResultStatus: 'Failed' }, 'critical'],
    [{ ...signInFailed, ErrorNumber: '50053' }, 'medium'],
  ])('%o has the severity %s', (changes, severity) => {
    expect(severityOf(changes)).toBe(severity);
  });

  test('a failed grant of an administrator role in Okta is medium', () => {
    const event = {
      uuid: 'e1',
      published: '2026-11-20T08:15:30.000Z',
      eventType: 'user.account.privilege.grant',
      severity: 'INFO',
      actor: { id: '00u1', type: 'User', alternateId: 'ada@contoso.example' },
    };
    const severity = (result: string) => readDocument('okta.system-log', { ...event, outcome: { result } }).severity;
    expect([severity('SUCCESS'), severity('FAILURE')]).toEqual(['high', 'medium']);
  });
});

describe('the table of rules', () => {
  test('every rule has a reason and a public source', () => {
    for (const { actions, reason, source } of severityRules) {
      expect(actions.length).toBeGreaterThan(0);
      expect(reason, actions.join()).toMatch(/^\S.{10,}[^.]$/);
      expect(source, actions.join()).toMatch(/^https:\/\/(?:github|learn\.microsoft|attack\.mitre)\./);
    }
  });

  test('no unconditional rule hides another of the same action', () => {
    const unconditional = severityRules.filter(({ when }) => when === undefined).flatMap(({ actions }) => actions);
    expect(unconditional.filter((action, at) => unconditional.indexOf(action) !== at)).toEqual([]);
  });
});
