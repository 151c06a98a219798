import { createHash } from 'node:crypto';
import { createRemoval, mergeEntity } from '@tenantscope/intake';
import { describe, expect, test } from 'vitest';
import { listParts, mergeRecord, readEntity, readSource } from './entity.ts';

const id = '87d349ed-44d7-43e1-9a83-5f2406dee5bd';
type Parts = ReturnType<typeof listParts>;

/** What rules count of the entity that parts make. */
function factsOf(parts: Parts): Record<string, unknown> {
  const kind = parts[0]?.entityKind;
  const merged = kind === undefined ? null : mergeEntity(kind, parts);
  if (merged === null) throw new Error('nothing shows that it exists');
  return JSON.parse(`{${merged.facts}}`) as Record<string, unknown>;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('an agent', () => {
  const stored = {
    environmentId: 'Default-1',
    lastPublishedAt: '2026-11-01T00:00:00Z',
    isPublisherVerified: false,
    verifiedPublisherId: '4711',
    dataSensitivity: 'general',
    elementPermissions: ['Files.Read'],
    reachBasis: 'permissions',
    siteReachCount: 3,
  };
  const agent = listParts(
    readEntity('agent', id, {
      displayName: 'Falcon',
      kind: 'bot',
      instructions: 'Be kind. password: hunter2hunter2',
      aliases: { packageId: 'P_1', botId: 'b1' },
      owners: [{ id: 'u1', name: 'Mara' }],
      ...stored,
    }),
  );

  test('is counted with served and private members', () => {
    expect(factsOf(agent)).toMatchObject({
      ...stored,
      displayName: 'Falcon',
      lastPublishedAt: '2026-11-01T00:00:00.000Z',
      packageId: 'P_1',
      botId: 'b1',
      owners: [{ id: 'u1', name: 'Mara' }],
    });
  });

  test('does not serve members that are stored for rules only', () => {
    const served = JSON.stringify(mergeRecord(agent));
    for (const name of [...Object.keys(stored), 'instructionsHash', 'packageId":"P_1","m'])
      expect(served).not.toContain(`"${name}"`);
    expect(served).not.toContain('hunter2');
  });

  test('has the hash of its original instructions and never their text', () => {
    const facts = factsOf(agent);
    expect(facts.instructionsHash).toBe(sha256('Be kind. password: hunter2hunter2'));
    expect(JSON.stringify(facts)).not.toContain('Be kind');
    const [hashed] = listParts(
      readEntity('agent', id, { displayName: 'A', kind: 'bot', instructionsHash: sha256('x') }),
    );
    expect(factsOf([hashed as Parts[number]])).toMatchObject({ instructionsHash: sha256('x') });
  });

  test('has an assignment next to its own owner until the assignment ends', () => {
    const owned = listParts(
      readEntity('agent', id, { displayName: 'A', kind: 'bot', ownerId: 'u1', ownerSource: 'nativeOwner' }),
    );
    const subject = { type: 'agent', id };
    const assigned = { subject, userId: 'u2', userName: 'Ion', assignedBy: 'Mara', assignedAt: '2026-11-01T00:00:00Z' };
    const stated = (members: Record<string, unknown>) =>
      factsOf([...owned, ...listParts(readEntity('accountable', id, members))]);
    expect(stated(assigned)).toMatchObject({
      ownerId: 'u1',
      ownerSource: 'nativeOwner',
      accountable: { userId: 'u2', name: 'Ion', assignedBy: 'Mara', assignedAt: '2026-11-01T00:00:00.000Z' },
    });
    expect(stated({ subject, userId: null })).not.toHaveProperty('accountable');
  });

  test('of the agent store has the permissions that its package declares', () => {
    const definition = JSON.stringify({
      capabilities: [{ name: 'Email' }],
      authorization: {
        permissions: { resourceSpecific: [{ name: 'ChannelMessage.Read.Group', type: 'Application' }] },
      },
    });
    const stored = listParts(
      readSource('graph.copilotPackage', {
        id: 'P_2',
        displayName: 'Shelf',
        sensitivity: 'confidential',
        lastModifiedDateTime: '2026-11-01T00:00:00Z',
        elementDetails: [{ elementType: 'declarativeAgent', elements: [{ definition }, { definition: 'no JSON' }, 7] }],
      }),
    );
    expect(factsOf(stored)).toMatchObject({
      packageId: 'P_2',
      dataSensitivity: 'confidential',
      elementPermissions: ['ChannelMessage.Read.Group', 'Email'],
    });
  });

  test.each([
    ['instructionsHash', 'abc'],
    ['lastPublishedAt', 'yesterday'],
    ['siteReachCount', -1],
  ])('with an invalid %s is rejected', (member, value) => {
    expect(readEntity('agent', id, { displayName: 'A', kind: 'bot', [member]: value })).toMatchObject([
      { kind: 'rejected', reason: 'SCHEMA_VIOLATION', detail: expect.stringContaining(`member ${member}`) },
    ]);
  });
});

test('a user is counted with the assignments of its roles', () => {
  const user = listParts(
    readEntity('user', id, {
      displayName: 'Mara',
      roles: ['Security Reader', { name: 'Global Administrator', permanent: true }],
      methodsRegistered: ['fido2'],
      disabledAt: '2026-11-02T00:00:00Z',
      jobTitle: 'not counted',
    }),
  );
  const facts = factsOf(user);
  expect(facts).toMatchObject({
    roles: ['Security Reader', 'Global Administrator'],
    roleAssignments: [
      { name: 'Security Reader', permanent: null },
      { name: 'Global Administrator', permanent: true },
    ],
    methodsRegistered: ['fido2'],
    disabledAt: '2026-11-02T00:00:00.000Z',
    isAdmin: true,
  });
  expect(facts).not.toHaveProperty('jobTitle');
  expect(Object.values(facts)).not.toContain(null);
});

test('a file is counted with the external users who can open it', () => {
  const permission = (link: string, principal: Record<string, unknown>) =>
    readSource(
      'graph.permission',
      { id: link, roles: ['read'], grantedToV2: { siteUser: principal } },
      { kind: 'file', id: 'f1' },
    );
  const file = listParts([
    ...readEntity('file', 'f1', {
      name: 'Plan.docx',
      sensitiveInfoTypes: [{ id: 's1', name: 'IBAN', count: 4, confidence: 85 }],
      externalUserIds: ['x1', 'x2'],
    }),
    ...permission('p1', { id: 'u9' }),
  ]);
  expect(factsOf(file)).toMatchObject({
    sensitiveInfoTypes: [{ id: 's1', name: 'IBAN' }],
    externalUserIds: ['x1', 'x2'],
  });
});

test('an app is counted with its grants by resource, its register and its publisher', () => {
  const app = listParts([
    ...readEntity('app', id, {
      displayName: 'Mail merge',
      ictServiceType: 'S17',
      contractRef: 'C-1',
      providerCode: { code: '5493', codeType: 'LEI' },
    }),
    ...readSource('graph.serviceprincipal', {
      id,
      verifiedPublisher: { verifiedPublisherId: '77', displayName: 'Mail', addedDateTime: '2026-01-01T00:00:00Z' },
    }),
    ...readSource('graph.oauth2permissiongrant', {
      id: 'g1',
      clientId: id,
      resourceId: 'graph',
      scope: ' Mail.Read  Mail.Send',
      consentType: 'AllPrincipals',
    }),
  ]);
  expect(factsOf(app)).toMatchObject({
    permissions: { graph: 2 },
    ictServiceType: 'S17',
    contractRef: 'C-1',
    providerCode: { code: '5493', codeType: 'LEI' },
    verifiedPublisherId: '77',
    verifiedPublisherAt: '2026-01-01T00:00:00.000Z',
  });
  expect(JSON.stringify(mergeRecord(app))).not.toMatch(/ictServiceType|contractRef|providerCode|verifiedPublisherId/);
});

test('a deleted entity is counted as deleted', () => {
  const parts = listParts(readEntity('device', id, { displayName: 'Laptop', isManaged: true }));
  const [removed] = readEntity('device', id, { version: 2, reason: 'gone' }, 'deleted');
  if (removed?.kind !== 'removed' || removed.table !== 'entity') throw new Error(JSON.stringify(removed));
  expect(factsOf([...parts, createRemoval(removed)])).toMatchObject({ isManaged: true, deletedAt: expect.any(String) });
});
