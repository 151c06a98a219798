import type { AuditLogEvent } from '@tenantscope/contract';
import { asTenantId } from '@tenantscope/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Activity, noResource } from '../src/activity/activity.ts';
import { type EventContext, noContext } from '../src/activity/event-context.ts';
import { formatLogRow, projectRow } from '../src/activity/log-row.ts';
import { management, readRow } from './message.ts';

const activity: Activity = {
  time: '2026-11-21T17:25:44Z',
  timeMember: 'CreationTime',
  action: 'Set-Mailbox',
  verdict: null,
  outcome: 'success',
  actor: { id: null, name: null, type: 'user' },
  actorIp: null,
  resource: noResource,
  workload: null,
  sourceType: 'microsoft365',
  sourceName: null,
  clientApp: null,
  device: { id: null, name: null, isManaged: null },
  application: { clientId: null, displayName: null },
  externalEventId: null,
  recordType: 1,
  context: noContext,
};

function project(context: Partial<EventContext>) {
  const tenantId = asTenantId('11111111-1111-4111-8111-111111111111');
  const row = projectRow(
    tenantId,
    '019a0000-0000-8000-8000-000000000000',
    0,
    { ...activity, context: { ...noContext, ...context } },
    'Set-Mailbox',
    { severity: 'low', applicationId: null, actorUserId: null },
  );
  const document = formatLogRow(row);
  return { row, document, event: JSON.parse(document) as AuditLogEvent };
}

test('a record without context has null members and is not truncated', () => {
  const { event } = project({});
  expect(event).toMatchObject({ targets: null, changes: null, details: null, location: null, truncated: false });
});

test('targets and changes are the first 32, and the row is marked as truncated', () => {
  const targets = Array.from({ length: 33 }, (_, number) => ({ id: `t${number}`, name: null, type: null }));
  const changes = Array.from({ length: 40 }, (_, number) => ({ name: `c${number}`, before: null, after: 'x' }));
  const { event } = project({ targets, changes });
  expect(event.targets).toEqual(targets.slice(0, 32));
  expect(event.changes).toEqual(changes.slice(0, 32));
  expect(event.truncated).toBe(true);
  expect(project({ targets: targets.slice(0, 32), changes: changes.slice(0, 32) }).event.truncated).toBe(false);
});

test('the value of a change has at most 1,024 code points, without an ellipsis', () => {
  const change = (length: number) => ({ name: 'n', before: null, after: '\u{1f512}'.repeat(length) });
  const exact = project({ changes: [change(1_024)] }).event;
  const longer = project({ changes: [change(1_025)] }).event;
  expect(exact.truncated).toBe(false);
  expect(longer.changes).toEqual(exact.changes);
  expect(longer.truncated).toBe(true);
});

test('details have their members in the order of their bytes, numbers and astral characters included', () => {
  const names = ['b', '10', '9', 'ﬀ', '\u{1f512}', 'B', '__proto__'];
  const { document } = project({ details: names.map((name) => [name, 'v']) });
  const text = document.slice(document.indexOf('"details":'), document.indexOf(',"threat"'));
  const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect(text).toBe(`"details":{${sorted.map((name) => `${JSON.stringify(name)}:"v"`).join(',')}}`);
});

test('a name that repeats has all of its values', () => {
  expect(
    project({
      details: [
        ['to', 'a'],
        ['to', 'b'],
        ['to', 'b'],
      ],
    }).event.details,
  ).toEqual({ to: 'a, b, b' });
});

test('the longest values are truncated first until names and values have 8,192 bytes', () => {
  const { event } = project({
    details: [
      ['a', 'ł'.repeat(9_000)],
      ['b', 'short'],
      ['c', 'x'.repeat(9_000)],
    ],
  });
  const { a = '', b, c = '' } = event.details ?? {};
  expect(b).toBe('short');
  expect(Buffer.byteLength(a) + Buffer.byteLength(c) + 'short'.length + 3).toBeGreaterThan(8_192 - 4);
  expect(Buffer.byteLength(a) + Buffer.byteLength(c) + 'short'.length + 3).toBeLessThanOrEqual(8_192);
  expect(Math.abs(Buffer.byteLength(a) - Buffer.byteLength(c))).toBeLessThanOrEqual(2);
  expect(event.truncated).toBe(true);
});

test('details never exceed their limits and are whole when they do not reach them', { tags: 'exhaustive' }, () => {
  const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.tuple(fc.string({ unit: 'grapheme', maxLength: 9 }), fc.nat(3_000)).map(([unit, count]) => unit.repeat(count)),
  );
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(name, value), { maxLength: 90, selector: ([each]) => each }), (details) => {
      const { event } = project({ details });
      const members = Object.entries(event.details ?? {});
      const bytes = members.reduce((sum, [key, text]) => sum + Buffer.byteLength(key) + Buffer.byteLength(text), 0);
      expect(members.length).toBeLessThanOrEqual(64);
      expect(bytes).toBeLessThanOrEqual(8_192);
      if (!event.truncated) expect(members.length).toBe(new Set(members.map(([key]) => key)).size);
      if (!event.truncated && details.length > 0) expect(members.length).toBeGreaterThan(0);
    }),
  );
});

test('secrets are masked in details and changes, by the name of the member and by the form of the value', () => {
  const { event } = project({
    details: [
      ['Password', 'hunter2'],
      ['ClientSecret', 'abc'],
      ['Url', 'https://x.example/f?sv=1&sig=AbCdEf123456&se=2'],
      ['Link', 'https://x.example/?token=QWERTYUIOP'],
      ['Identity', 'conrad@example.com'],
      ['Parameters', '-Name "x" -Password "Hunter22!pass"'],
      ['ProcessCommandLine', 'net.exe --token x1'],
    ],
    changes: [
      { name: 'Settings', before: null, after: '[{"Key":"password","Value":"hunter22abc"}]' },
      { name: 'client_secret', before: 'old', after: 'password=hunter22' },
      { name: 'n', before: null, after: 'password=hunter22' },
      { name: 'Enforce strong password', before: 'on', after: 'off' },
    ],
  });
  expect(event.details).toEqual({
    Password: '[removed]',
    ClientSecret: '[removed]',
    Url: 'https://x.example/f?sv=1&sig=[removed]&se=2',
    Link: 'https://x.example/?token=[removed]',
    Identity: 'conrad@example.com',
    Parameters: '-Name "x" -Password [removed]',
    ProcessCommandLine: 'net.exe --token [removed]',
  });
  expect(event.changes).toEqual([
    { name: 'Settings', before: null, after: '[{"Key":"password","Value":"[removed]"}]' },
    { name: 'client_secret', before: '[removed]', after: '[removed]' },
    { name: 'n', before: null, after: 'password=[removed]' },
    { name: 'Enforce strong password', before: 'on', after: 'off' },
  ]);
});

test.each([
  ['?sig=x', '?sig=[removed]'],
  ['bearer\tabcdef1234', 'bearer\t[removed]'],
  ['pwd:abcdef', 'pwd:[removed]'],
  ['the password is hunter22', 'the password is [removed]'],
  ['AKIAABCDEFGHIJKLMNOP', '[removed]'],
  ['gh', 'gh'],
  ['7d2f4c7e-5b0a-4f0e-9a55-1c2d3e4f5a6b', '7d2f4c7e-5b0a-4f0e-9a55-1c2d3e4f5a6b'],
  ['["Files.Read","User.Read"]', '["Files.Read","User.Read"]'],
])('a detail with the text %s is shown as %s', (text, shown) => {
  expect(project({ details: [['note', text]] }).event.details).toEqual({ note: shown });
});

test('a truth value is no secret, whatever its name', () => {
  const details: [string, string][] = [
    ['Is CAE Token', 'False'],
    ['token', 'true!'],
  ];
  expect(project({ details }).event.details).toEqual({ 'Is CAE Token': 'False', token: '[removed]' });
});

test('target ids other than the resource are a column of their own', () => {
  const target = (id: string | null) => ({ id, name: null, type: null });
  expect(project({ targets: [target('a'), target(null), target('b'), target('a')] }).row.columns.targetIds).toEqual([
    'a',
    'b',
  ]);
  expect(project({ targets: [] }).row.columns.targetIds).toBeNull();
});

test('secrets in addresses are masked in every text of a row and remain in the record', () => {
  const secret = 'AbCdEf123456';
  const url = `https://x.example/f?sv=1&sig=${secret}`;
  const records = [
    management({ RecordType: 14, Operation: 'AnonymousLinkCreated', ObjectId: url }),
    management({
      RecordType: 261,
      Operation: 'CopilotInteraction',
      CopilotEventData: { AccessedResources: [{ ID: url, Name: url }] },
    }),
    management({ RecordType: 25, Operation: 'MemberAdded', Members: [{ UPN: url, DisplayName: url }] }),
    management({ Operation: 'UserLoginFailed', RecordType: 15, LogonError: `redirect to ${url}` }),
  ];
  for (const record of records) {
    const row = readRow('o365.management-activity', record);
    expect(formatLogRow(row)).toContain('sig=[removed]');
    expect(JSON.stringify([formatLogRow(row), row.columns])).not.toContain(secret);
    expect(row.source.text.toString()).toContain(secret);
  }
});
