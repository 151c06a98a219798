import { describe, expect, test } from 'vitest';
import { guid, otherGuid, readFields } from './management-record.ts';

describe('the actor', () => {
  const person = [
    { ID: 'ada@contoso.example', Type: 5 },
    { ID: '10032001ABCDEF01', Type: 3 },
    { ID: otherGuid, Type: 2 },
    { ID: `User_${guid}`, Type: 2 },
    { ID: guid, Type: 2 },
    { ID: 'User', Type: 2 },
  ];
  const service = [
    { ID: 'Backup Robot', Type: 1 },
    { ID: otherGuid, Type: 2 },
    { ID: `ServicePrincipal_${guid}`, Type: 2 },
    { ID: guid, Type: 2 },
    { ID: 'ServicePrincipal', Type: 2 },
  ];
  test.each([
    [
      'object id before PUID',
      { Actor: person, UserKey: '10032001ABCDEF01@contoso.example' },
      guid,
      'Ada.Lovelace@contoso.example',
      'user',
    ],
    [
      'object id of type 0',
      {
        Actor: [
          { ID: guid.toUpperCase(), Type: 0 },
          { ID: 'x', Type: 5 },
        ],
      },
      guid,
      'Ada.Lovelace@contoso.example',
      'user',
    ],
    ['object id of a token', { TokenObjectId: guid }, guid, 'Ada.Lovelace@contoso.example', 'user'],
    [
      'no object id of zeros',
      { Actor: [{ ID: 'User_00000000-0000-0000-0000-000000000000', Type: 2 }] },
      '10032001abcdef01',
      'Ada.Lovelace@contoso.example',
      'user',
    ],
    ['key that is a GUID', { UserKey: guid }, guid, 'Ada.Lovelace@contoso.example', 'user'],
    [
      'PUID inside a claim',
      { UserKey: 'i:0h.f|membership|10032001abcdef01@live.com' },
      '10032001abcdef01',
      'Ada.Lovelace@contoso.example',
      'user',
    ],
    [
      'PUID at a domain',
      { UserKey: '10032001ABCDEF01@contoso.example' },
      '10032001abcdef01',
      'Ada.Lovelace@contoso.example',
      'user',
    ],
    [
      'user id in lower case',
      { UserKey: 'ada' },
      'ada.lovelace@contoso.example',
      'Ada.Lovelace@contoso.example',
      'user',
    ],
    [
      'service principal called System',
      { Actor: service, UserId: `ServicePrincipal_${guid}`, UserKey: 'Not Available', UserType: 4 },
      guid,
      'Backup Robot',
      'servicePrincipal',
    ],
    [
      'service principal by its user id',
      { UserId: `ServicePrincipal_${guid}`, UserKey: 'Not Available', UserType: 4 },
      guid,
      `ServicePrincipal_${guid}`,
      'servicePrincipal',
    ],
    [
      'SharePoint application',
      { UserId: 'app@sharepoint', UserKey: 'i:0i.t|x|app@sharepoint' },
      'app@sharepoint',
      'app@sharepoint',
      'application',
    ],
    [
      'certificate of self-service',
      { UserId: 'Certificate', UserKey: 'Not Available', UserType: 4, Actor: [{ ID: 'Self-Service Policy', Type: 1 }] },
      'certificate',
      'Self-Service Policy',
      'application',
    ],
    [
      'certificate of something else',
      { UserId: 'Certificate', UserKey: 'Not Available', UserType: 4, Actor: [] },
      'certificate',
      'Certificate',
      'system',
    ],
    [
      'Exchange service process',
      { UserId: 'NT AUTHORITY\\SYSTEM (Microsoft.Exchange.ServiceHost)', UserKey: 'x', UserType: 3 },
      'nt authority\\system (microsoft.exchange.servicehost)',
      'NT AUTHORITY\\SYSTEM (Microsoft.Exchange.ServiceHost)',
      'system',
    ],
    [
      'operator',
      { UserId: 'Microsoft\\ServiceOperator', UserKey: 'S-1-0-0' },
      'microsoft\\serviceoperator',
      'Microsoft\\ServiceOperator',
      'system',
    ],
    [
      'SharePoint system account',
      { UserId: 'SHAREPOINT\\system', UserKey: 'S-1-0-0' },
      'sharepoint\\system',
      'SHAREPOINT\\system',
      'system',
    ],
    ['system SID', { UserId: 'S-1-5-18', UserKey: 'S-1-5-18', UserType: 2 }, 's-1-5-18', 'S-1-5-18', 'system'],
    [
      'Windows service',
      { UserId: 'NT AUTHORITY\\NETWORK SERVICE (w3wp)', UserKey: 'x', UserType: 0 },
      'nt authority\\network service (w3wp)',
      'NT AUTHORITY\\NETWORK SERVICE (w3wp)',
      'system',
    ],
    ['service SID', { UserId: 'S-1-5-20', UserKey: 'x', UserType: 2 }, 's-1-5-20', 'S-1-5-20', 'system'],
    [
      'system account in the key alone',
      { UserId: 'Unknown', UserKey: 'NT AUTHORITY\\SYSTEM (w3wp)', UserType: 0 },
      'nt authority\\system (w3wp)',
      'NT AUTHORITY\\SYSTEM (w3wp)',
      'system',
    ],
    [
      'ordinary SID',
      { UserId: 'S-1-5-21-1-2-3-4', UserKey: 'x', UserType: 0 },
      's-1-5-21-1-2-3-4',
      'S-1-5-21-1-2-3-4',
      'user',
    ],
    ['DLP agent', { UserId: 'DLPAgent', UserKey: 'x' }, 'dlpagent', 'DLPAgent', 'system'],
    [
      'guest by name',
      { UserId: 'eve_fabrikam.example#EXT#@contoso.example', UserKey: 'x' },
      'eve_fabrikam.example#ext#@contoso.example',
      'eve@fabrikam.example',
      'guest',
    ],
    [
      'guest by a foreign key',
      { UserKey: 'i:0h.f|membership|eve@fabrikam.example' },
      'ada.lovelace@contoso.example',
      'Ada.Lovelace@contoso.example',
      'guest',
    ],
    [
      'guest by a link',
      { UserKey: 'i:0h.f|membership|urn%3aspo%3aguest#eve@contoso.example' },
      'ada.lovelace@contoso.example',
      'Ada.Lovelace@contoso.example',
      'guest',
    ],
    [
      'member by the own domain',
      { UserKey: 'i:0h.f|membership|ada@CONTOSO.example' },
      'ada.lovelace@contoso.example',
      'Ada.Lovelace@contoso.example',
      'user',
    ],
    ['guest by type', { UserType: 10 }, '10032001abcdef01', 'Ada.Lovelace@contoso.example', 'guest'],
    ['anonymous', { UserId: 'anonymous', UserKey: 'x' }, 'anonymous', 'anonymous', 'anonymous'],
    [
      'anonymous link',
      { UserId: 'urn:spo:anon#abc', UserKey: 'x' },
      'urn:spo:anon#abc',
      'urn:spo:anon#abc',
      'anonymous',
    ],
    ['agent without a person', { AgentId: 'agent-1', UserId: '', UserKey: '', UserType: 5 }, null, null, 'agent'],
    ['person using an agent', { AgentId: 'agent-1' }, '10032001abcdef01', 'Ada.Lovelace@contoso.example', 'user'],
    ['user that was not found', { UserId: 'NOT-FOUND', UserKey: 'NOT-FOUND', UserType: 5 }, null, null, 'unknown'],
    ['not available', { UserId: 'Not Available', UserKey: 'Not Available', UserType: 4 }, null, null, 'unknown'],
    ['nothing', { UserId: undefined, UserKey: undefined, UserType: undefined }, null, null, 'unknown'],
  ])('has an id, a name and a type: %s', (_what, changes, actorId, actorName, actorType) => {
    expect(readFields(changes)).toMatchObject({ actorId, actorName, actorType });
  });

  test.each([
    [0, 'user'],
    ['0', 'user'],
    ['Regular', 'user'],
    [1, 'unknown'],
    [2, 'user'],
    [3, 'system'],
    [4, 'system'],
    [5, 'application'],
    [6, 'servicePrincipal'],
    [7, 'policy'],
    [8, 'policy'],
    [9, 'partner'],
    [10, 'guest'],
    [99, 'unknown'],
    [-1, 'unknown'],
    [undefined, 'unknown'],
  ])('with the user type %s is a %s where no other rule applies', (UserType, actorType) => {
    expect(readFields({ UserType }).actorType).toBe(actorType);
  });

  test('of a data loss prevention match is the person who shared or sent', () => {
    const match = { RecordType: 11, UserId: 'DlpAgent', UserKey: 'DlpAgent', UserType: 4 };
    const person = { actorId: 'bob@contoso.example', actorName: 'Bob@contoso.example', actorType: 'user' };
    expect(readFields({ ...match, SharePointMetaData: { From: 'Bob@contoso.example' } })).toMatchObject(person);
    expect(readFields({ ...match, RecordType: 13, ExchangeMetaData: { From: 'Bob@contoso.example' } })).toMatchObject(
      person,
    );
    expect(readFields(match)).toMatchObject({ actorName: 'DlpAgent', actorType: 'system' });
  });
});
