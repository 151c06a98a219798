import { describe, expect, test } from 'vitest';
import { management, read, readDocument } from './message.ts';

const home = 'eve@fabrikam.example';
const upn = 'eve_fabrikam.example#EXT#@contoso.example';

describe('an actor of a Management Activity record', () => {
  test.each([
    [upn, upn.toLowerCase(), home],
    [upn.toLowerCase(), upn.toLowerCase(), home],
    ['live.com#Eve@fabrikam.example', home, 'Eve@fabrikam.example'],
    ['urn:spo:guest#Eve@fabrikam.example', home, 'Eve@fabrikam.example'],
    ['urn%3aspo%3aguest#eve@fabrikam.example', home, home],
    ['urn%3Aspo%3Aguest%23eve@fabrikam.example', home, home],
    [`i:0#.f|membership|${upn}`, upn.toLowerCase(), home],
    ['i:0#.f|membership|urn%3aspo%3aguest#eve@fabrikam.example', home, home],
    [
      'eve_van_dam_fabrikam.example#EXT#@contoso.example',
      'eve_van_dam_fabrikam.example#ext#@contoso.example',
      'eve_van_dam@fabrikam.example',
    ],
    ['eve#EXT#@contoso.example', 'eve#ext#@contoso.example', 'eve'],
  ])('with the user id %s is a guest without prefix', (UserId, actorId, actorName) => {
    const record = management({ UserId, UserKey: 'x', UserType: 0 });
    expect(readDocument('o365.management-activity', record)).toMatchObject({ actorId, actorName, actorType: 'guest' });
  });

  test("with a member's claim is a user without prefix", () => {
    const record = management({ UserId: 'i:0#.f|membership|Ada@contoso.example', UserKey: 'x', UserType: 0 });
    expect(readDocument('o365.management-activity', record)).toMatchObject({
      actorId: 'ada@contoso.example',
      actorName: 'Ada@contoso.example',
      actorType: 'user',
    });
  });

  test.each(['#EXT#', '#EXT#@contoso.example', 'urn:spo:guest#', 'i:0#.f|membership|', 'live.com#', '%', '|', '#'])(
    'with the user id %s has it as its name',
    (UserId) => {
      const record = management({ UserId, UserKey: 'x', UserType: 0 });
      expect(readDocument('o365.management-activity', record)).toMatchObject({ actorName: UserId });
    },
  );
});

test.each([
  ['entra.signin.graph', { createdDateTime: '2026-11-20T08:00:00Z', id: '1', userId: 'u', userPrincipalName: upn }],
  [
    'entra.audit.graph',
    {
      activityDateTime: '2026-11-20T08:00:00Z',
      id: '1',
      activityDisplayName: 'Update user',
      initiatedBy: { user: { id: 'u', userPrincipalName: upn } },
    },
  ],
] as const)('a guest in a record of %s has the name of home', (format, record) => {
  expect(readDocument(format, record)).toMatchObject({ actorId: 'u', actorName: home, actorType: 'guest' });
});

test('a guest is found by the sign-in name where no user has the address of home', () => {
  const names: string[] = [];
  const findPrincipal = (_: string, { alias }: { alias: string }) => {
    names.push(alias);
    return null;
  };
  const record = management({ UserId: upn, UserKey: '10032001abcdef01' });
  read('o365.management-activity', record, { findPrincipal });
  expect(names).toEqual(['10032001abcdef01', upn.toLowerCase(), home]);
});
