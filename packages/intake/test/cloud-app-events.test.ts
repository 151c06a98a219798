import { describe, expect, test } from 'vitest';
import { huntingRecord } from './hunting-record.ts';
import { management, readDocument, readRow } from './message.ts';

const format = 'm365d.advanced-hunting';

function cloudAppEvent(raw: Record<string, unknown>, columns: Record<string, unknown> = {}) {
  const ActionType = raw.Operation;
  return huntingRecord('CloudAppEvents', { ActionType, AccountObjectId: 'u-1', RawEventData: raw, ...columns });
}

/** The row of CloudAppEvents, and that of its raw record from the Management Activity API. */
function showBoth(raw: Record<string, unknown>) {
  return [readDocument(format, cloudAppEvent(raw)), readDocument('o365.management-activity', management(raw))] as const;
}

describe('a row of CloudAppEvents', () => {
  test.each([
    [1, true],
    ['1', true],
    [0, false],
    [false, false],
  ])('whose IsAnonymousProxy is %j has isProxy %j', (IsAnonymousProxy, isProxy) => {
    const raw = { Operation: 'FileDownloaded' };
    expect(readDocument(format, cloudAppEvent(raw, { IsAnonymousProxy }))).toMatchObject({ location: { isProxy } });
  });

  test('masks the secrets of its raw record, as a list and as JSON text', () => {
    const Parameters = [
      { Name: 'Identity', Value: 'bo' },
      { Name: 'Password', Value: 'Hunter22!pass' },
      { Name: 'ClientSecret', Value: 'abcDEF123456' },
    ];
    for (const raw of [
      { Operation: 'New-Mailbox', RecordType: 1, Id: 'm-1', Parameters },
      { Operation: 'New-Mailbox', RecordType: 1, Id: 'm-1', Parameters: JSON.stringify(Parameters) },
    ]) {
      const shown = readDocument(format, cloudAppEvent(raw, { RawEventData: JSON.stringify(raw) }));
      expect(shown.details).toMatchObject({ 'RawEventData.Id': 'm-1' });
      expect(JSON.stringify(shown)).toContain('bo');
      expect(JSON.stringify(shown)).not.toMatch(/Hunter22|abcDEF/);
    }
  });

  test('never shows what a rule of data loss prevention matched', () => {
    const DetectedValues = [{ Name: '4111 1111 1111 1111', Value: 'card 4111' }];
    const SensitiveInformation = [{ SensitiveInformationTypeName: 'Credit card', Count: 1, DetectedValues }];
    const PolicyDetails = [
      { PolicyName: 'PCI', Rules: [{ Severity: 'High', ConditionsMatched: { SensitiveInformation } }] },
    ];
    const raw = { Operation: 'DlpRuleMatch', RecordType: 11, PolicyDetails };
    const [shown] = showBoth(raw);
    expect(shown).toMatchObject({ severity: 'high', details: { 'RawEventData.PolicyDetails.PolicyName': 'PCI' } });
    expect(JSON.stringify(shown)).not.toContain('4111');
    expect(
      JSON.stringify(readDocument(format, cloudAppEvent(raw, { RawEventData: '{"DetectedValues":["4111"' }))),
    ).not.toContain('4111');
  });

  test.each([
    {
      Operation: 'UserLoginFailed',
      RecordType: 15,
      ErrorNumber: '50126',
      LogonError: 'InvalidUserNameOrPassword',
      ResultStatus: 'Success',
    },
    { Operation: 'UserLoggedIn', RecordType: 15, ErrorNumber: '0', ResultStatus: 'Success' },
    { Operation: 'UserLoginFailed', RecordType: 15, ErrorNumber: '50074', ResultStatus: 'Success' },
    { Operation: 'Set-Mailbox', RecordType: 1, ResultStatus: 'False', ErrorMessage: 'not found' },
    { Operation: 'FileDownloaded', RecordType: 6 },
  ])('has the outcome of its raw record: $Operation $ErrorNumber $ResultStatus', (raw) => {
    const [shown, management] = showBoth(raw);
    const { outcome, severity, errorCode, outcomeReason } = management;
    expect(shown).toMatchObject({ outcome, severity, errorCode, outcomeReason });
  });

  test('has the changes, the sign-in and the AI of its raw record', () => {
    const raw = {
      Operation: 'CopilotInteraction',
      RecordType: 261,
      AppAccessContext: { AADSessionId: 's-1' },
      ModifiedProperties: [{ Name: 'Role.DisplayName', NewValue: '"Reader"' }],
      CopilotEventData: { AppHost: 'Word', Messages: [{ JailbreakDetected: true }] },
    };
    const [shown, management] = showBoth(raw);
    const { sessionId, changes, ai, signIn } = management;
    expect(shown).toMatchObject({ sessionId, changes, ai, signIn, severity: 'high' });
    expect(changes).not.toBeNull();
    expect(ai).not.toBeNull();
  });

  test('has the AI of an interaction that is JSON text', () => {
    const CopilotEventData = { AppHost: 'Word', Messages: [{ JailbreakDetected: true }] };
    const raw = { Operation: 'CopilotInteraction', RecordType: 261 };
    const text = readDocument(format, cloudAppEvent({ ...raw, CopilotEventData: JSON.stringify(CopilotEventData) }));
    expect(text).toMatchObject({ severity: 'high', ai: { host: 'Word', jailbreak: true } });
    expect(text.ai).toEqual(readDocument(format, cloudAppEvent({ ...raw, CopilotEventData })).ai);
  });

  test('has no facts, which are those of the Management Activity API', () => {
    const role = { Name: 'Role.DisplayName', NewValue: '"Global Administrator"' };
    for (const raw of [
      { Operation: 'CopilotInteraction', RecordType: 261, CopilotEventData: { AppHost: 'Word' } },
      { Operation: 'Add member to role.', RecordType: 8, ModifiedProperties: [role] },
      { Operation: 'Consent to application.', RecordType: 8 },
    ]) {
      expect(readRow(format, cloudAppEvent(raw)).facts).toEqual([]);
      expect(readRow('o365.management-activity', management(raw)).facts).toHaveLength(1);
    }
  });
});
