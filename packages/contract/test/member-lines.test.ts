import { type AuditLogEvent, auditLogEvent, formatEvent, joinMemberLines, lineMembers } from '@tenantscope/contract';
import { expect, test } from 'vitest';

test('stored rows have their members in these lines', () => {
  // Rows that are stored already have no other order: new members follow at the end.
  expect(lineMembers.join(' ')).toBe(
    'action description severity actorId actorName actorType actorIp resourceId resourceName resourceType workload sourceType sourceName ' +
      'clientApp deviceId deviceName isManagedDevice applicationId applicationClientId applicationDisplayName externalEventId outcome ' +
      'recordType category errorCode outcomeReason sessionId correlationId userAgent deviceOs location actorUserId signIn targets changes ' +
      'details threat ai truncated',
  );
});

const key = {
  id: '019a9f3c-2d40-8b1e-9c57-3f0a6d2e81b4',
  occurredAt: '2026-11-21T12:00:00.000Z',
  discoveredAt: '2026-11-21T12:00:01.234Z',
  tenantId: '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80',
};
const lineOf = (members: Partial<AuditLogEvent>) =>
  joinMemberLines(lineMembers.map((name) => (members[name] === undefined ? '' : JSON.stringify(members[name]))));

test('an event has all members in the order of the contract, null where its line is empty', () => {
  const text = formatEvent(key, lineOf({ action: 'a', outcome: 'success', details: { b: '1', a: '2' } }));
  const event = JSON.parse(text) as AuditLogEvent;
  expect(Object.keys(event)).toEqual(Object.keys(auditLogEvent.shape));
  expect(Object.entries(event).filter(([, value]) => value !== null)).toEqual(
    Object.entries({ ...key, action: 'a', outcome: 'success', details: { b: '1', a: '2' }, truncated: false }).toSorted(
      ([one], [other]) => Object.keys(event).indexOf(one) - Object.keys(event).indexOf(other),
    ),
  );
});

test('empty lines at the end are left out, and lines after the last member are ignored', () => {
  expect(lineOf({ action: 'a' })).toBe('"a"');
  expect(lineOf({})).toBe('');
  const all = lineOf({ action: 'a', truncated: true });
  expect(formatEvent(key, `${all}\n"later"`)).toBe(formatEvent(key, all));
});
