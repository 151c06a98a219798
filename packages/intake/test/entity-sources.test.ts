import { describe, expect, test } from 'vitest';
import { agentObjects } from './agent-objects.ts';
import { contentObjects } from './content-objects.ts';
import { directoryObjects } from './directory-objects.ts';
import { eventTime, listParts, mergeRecord, readSource } from './entity.ts';
import { id, other } from './entity-object.ts';
import { context } from './message.ts';

const lastSeenAt = eventTime;

test.each([...directoryObjects, ...contentObjects, ...agentObjects])(
  'an object of %s gives its parts: %j',
  (format, object, key, name, served) => {
    const parts = listParts(readSource(format, object, key));
    const [part] = parts;
    expect(parts.map((one) => `${one.entityKind}/${one.id}/${one.part}`)).toEqual([name]);
    expect(part?.isRemoval).toBe(false);
    const record = mergeRecord(parts);
    const evidence = part?.entityKind === 'agent' ? { evidence: 'reported' } : {};
    expect(record).toEqual(served && { lastSeenAt, ...evidence, ...served });
  },
);

describe('the entity of an object', () => {
  const user = { id, displayName: 'Ada' };
  const ends = (outcomes: ReturnType<typeof readSource>) =>
    outcomes.map((outcome) => (outcome.kind === 'rejected' ? outcome.reason : outcome.kind));

  test('is named by its key in any spelling, or rejected', () => {
    expect(ends(readSource('graph.user', user, { kind: 'user', id: id.toUpperCase() }))).toEqual(['part']);
    expect(ends(readSource('graph.user', user))).toEqual(['part']);
    expect(ends(readSource('graph.user', user, { kind: 'user', id: other }))).toEqual(['KEY_MISMATCH']);
    expect(ends(readSource('graph.user', user, { kind: 'group', id }))).toEqual(['KEY_MISMATCH']);
    expect(ends(readSource('graph.user', user, { kind: 'robot', id }))).toEqual(['KEY_MISMATCH']);
    expect(ends(readSource('graph.permission', { id: 'p' }))).toEqual(['SCHEMA_VIOLATION']);
    expect(ends(readSource('graph.user', { id: 'a b' }))).toEqual(['SCHEMA_VIOLATION']);
    expect(ends(readSource('graph.application', user))).toEqual(['UNKNOWN_TYPE']);
  });

  test('is read from a format in any case', () => {
    const device = { id, deviceName: 'LAPTOP-12' };
    expect(ends(readSource('graph.managedDevice', device))).toEqual(['part']);
    expect(ends(readSource('Graph.ManagedDevice', device))).toEqual(['part']);
    expect(listParts(readSource('graph.managedDevice', device))[0]?.part).toBe('graph.manageddevice');
  });

  test.each([null, 'text', 7, true, [], {}, [{}]])('survives a member that is %j', (odd) => {
    const names = 'displayName agentCard ownerIds originatingStore createdBy agentIdentityId sourceCreatedDateTime';
    for (const name of names.split(' ')) {
      expect(ends(readSource('graph.agentRegistration', { id: 'reg-1', [name]: odd }))).toEqual(['part']);
    }
  });

  test('is not frozen by a modification time more than a day ahead of the clock', () => {
    const site = (ms: number) => ({ id: 'contoso.example,a,b', lastModifiedDateTime: new Date(ms).toISOString() });
    const latest = context.nowMs + 86_400_000;
    expect(ends(readSource('graph.site', site(latest)))).toEqual(['part']);
    expect(ends(readSource('graph.site', site(latest + 1)))).toEqual(['FUTURE_VERSION']);
  });

  test('is decided by the key where collectors know which ids are one agent', () => {
    const [part] = listParts(readSource('graph.copilotPackage', { id: 'P_1', appId: other }, { kind: 'agent', id }));
    expect(part).toMatchObject({ id, aliases: [other, 'p_1'] });
  });

  test('is read for each object of a page', () => {
    const page = { value: [user, { id: other, displayName: 'Bob' }, 5] };
    expect(ends(readSource('graph.user', page))).toEqual(['part', 'part', 'SCHEMA_VIOLATION']);
  });

  test("can be two entities: an agent's identity is an app too", () => {
    const identity = { id, displayName: 'Agent', servicePrincipalType: 'ServiceIdentity' };
    expect(listParts(readSource('graph.serviceprincipal', identity)).map((part) => part.entityKind)).toEqual([
      'app',
      'agent',
    ]);
  });
});

test("a user's aliases are its sign-in name, its addresses and its security identifiers", () => {
  const [part] = listParts(
    readSource('graph.user', {
      id,
      displayName: 'Adele',
      userPrincipalName: 'Adele@contoso.example',
      mail: 'adele.vance@contoso.example',
      otherMails: ['adele@private.example', 5],
      proxyAddresses: [
        'SMTP:adele.vance@contoso.example',
        'smtp:AV@contoso.example',
        'X500:/o=x/cn=a@b',
        'SPO:SPO_1@SPO_2',
      ],
      onPremisesSecurityIdentifier: 'S-1-5-21-1-2-3-4',
      securityIdentifier: 'S-1-12-1-1-2-3-4',
      onPremisesImmutableId: 'aGFzaA==',
    }),
  );
  expect(part?.aliases).toEqual([
    'adele.vance@contoso.example',
    'adele@contoso.example',
    'adele@private.example',
    'av@contoso.example',
    's-1-12-1-1-2-3-4',
    's-1-5-21-1-2-3-4',
  ]);
  const [google] = listParts(
    readSource('google.directory.user', {
      id: '117',
      primaryEmail: 'ada@contoso.example',
      name: { fullName: 'Ada' },
      aliases: ['Countess@contoso.example'],
      nonEditableAliases: 'ada@contoso.test-google-a.com',
      emails: [{ address: 'ada@contoso.example', primary: true }, { address: 'lovelace@contoso.example' }, null],
    }),
  );
  expect(google?.aliases).toEqual([
    '117',
    'ada@contoso.example',
    'countess@contoso.example',
    'lovelace@contoso.example',
  ]);
});

test('names show invisible characters, and those that are too long then are left out', () => {
  const [short, long] = ['a\0@example.com', `${'\0'.repeat(100)}@example.com`] as const;
  const user = { id, displayName: 'Ada', mail: short, proxyAddresses: [`smtp:${short}`, `smtp:${long}`] };
  const [part] = listParts(readSource('graph.user', user));
  expect(part?.aliases).toEqual(['a\\u{0}@example.com']);
});

test('the name of a part shows invisible characters', () => {
  const grant = { id: 'p\0', roles: ['read'] };
  const [part] = listParts(readSource('graph.permission', grant, { kind: 'file', id }));
  expect(part?.part).toBe('graph.permission:p\\u{0}');
});

test('at most 500 addresses of a list are aliases', () => {
  const otherMails = Array.from({ length: 2_000 }, (_, number) => `a${number}@contoso.example`);
  expect(listParts(readSource('graph.user', { id, displayName: 'Adele', otherMails }))[0]?.aliases).toHaveLength(500);
});

test('a removed object is a removal, with its last state where the object has one', () => {
  const removed = listParts(readSource('graph.user', { id, '@removed': { reason: 'deleted' } }));
  expect(removed.map(({ isRemoval }) => isRemoval)).toEqual([true]);
  const deleted = listParts(readSource('graph.driveitem', { id: 'f', name: 'a.txt', deleted: { state: 'deleted' } }));
  expect(deleted.map(({ isRemoval }) => isRemoval)).toEqual([true, false]);
  expect(mergeRecord(deleted)).toMatchObject({ name: 'a.txt', deletedAt: eventTime });
});

test.each(['a', 'b', 'c', 'd', 'e', 'f'])(
  'a file that is removed without a later modification is deleted, whatever else its record has: %s',
  (member) => {
    const file = { id: 'f', name: 'a.txt', lastModifiedDateTime: '2026-11-01T08:00:00Z' };
    const parts = [
      ...listParts(readSource('graph.driveitem', file)),
      ...listParts(readSource('graph.driveitem', { ...file, deleted: { state: 'deleted' }, member })).slice(0, 1),
    ];
    expect(parts.map(({ isRemoval }) => isRemoval)).toEqual([false, true]);
    expect(mergeRecord(parts)).toMatchObject({ name: 'a.txt', deletedAt: eventTime });
  },
);

test('an object that has the time of its deletion was deleted then, not when it was collected', () => {
  const deletedAt = '2026-11-10T01:02:03.000Z';
  for (const [format, object] of [
    ['graph.user', { id, displayName: 'Adele', deletedDateTime: '2026-11-10T01:02:03Z' }],
    ['google.directory.user', { id: '117', name: { fullName: 'Ada' }, deletionTime: '2026-11-10T01:02:03.000Z' }],
  ] as const)
    expect(mergeRecord(listParts(readSource(format, object)))).toMatchObject({ deletedAt, lastSeenAt: eventTime });
});
