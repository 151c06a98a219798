import type { StoredPart } from '@tenantscope/intake';
import { mergeEntity } from '@tenantscope/intake';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listParts, mergeRecord, readEntity, readSource } from './entity.ts';

const part = (name: string, version: number, more: Partial<StoredPart> = {}): StoredPart => ({
  part: name,
  isRemoval: false,
  version,
  digest: Buffer.from([version % 256]),
  facts: { displayName: `${name} ${version}` },
  aliases: [],
  changedAtMs: 1_790_000_000_000 + version,
  ...more,
});

const anyPart = fc
  .record({
    part: fc.constantFrom('domain', 'graph.user', 'graph.riskyUser', 'accountable', 'google.directory.user'),
    isRemoval: fc.boolean(),
    version: fc.integer({ min: 1, max: 9 }),
    digest: fc.integer({ min: 0, max: 3 }),
    department: fc.option(fc.constantFrom('Sales', 'Retail')),
    riskLevel: fc.option(fc.constantFrom('low', 'high')),
    riskState: fc.option(fc.constantFrom('atRisk', 'none')),
  })
  .map(({ department, riskLevel, riskState, digest, ...given }) => {
    const facts = { displayName: `${given.part} ${digest}`, department, riskLevel, riskState };
    return part(given.part, given.version, {
      ...given,
      digest: Buffer.from([digest]),
      facts: given.isRemoval ? {} : facts,
      aliases: given.isRemoval ? [] : [`alias-${digest}`],
    });
  });

/** At most one state and one removal of each part, as they are kept. */
const stored = fc.uniqueArray(anyPart, { selector: (one) => `${one.part} ${one.isRemoval}`, maxLength: 8 });

test('an entity is a function of the set of its parts', () => {
  fc.assert(
    fc.property(
      stored.chain((parts) => fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length }))),
      ([parts, shuffled]) => {
        expect(mergeEntity('user', shuffled)).toEqual(mergeEntity('user', parts));
      },
    ),
  );
});

test('a newer part never lowers the version, and a removal is undone by a newer state only', () => {
  fc.assert(
    fc.property(stored, (parts) => {
      const before = mergeEntity('user', parts);
      const highest = Math.max(0, ...parts.map(({ version }) => version));
      const others = parts.filter((one) => one.part !== 'domain' || one.isRemoval);
      const after = mergeEntity('user', [...others, part('domain', highest + 1)]);
      expect(after?.version).toBeGreaterThan(before?.version ?? 0);
      expect(after?.columns.is_deleted).toBe(false);
    }),
  );
});

test("the platform's own record takes precedence, then the providers' in their order", () => {
  const user = { id: 'u', displayName: 'Of Graph', department: 'Retail', userType: 'Member' };
  const parts = [
    ...listParts(readSource('graph.user', user)),
    ...listParts(
      readSource('graph.riskyUser', { id: 'u', userDisplayName: 'Of risk', riskLevel: 'high', riskState: 'atRisk' }),
    ),
    ...listParts(readEntity('user', 'u', { displayName: 'Of ours' })),
  ];
  expect(mergeRecord(parts)).toMatchObject({
    displayName: 'Of ours',
    department: 'Retail',
    userType: 'member',
    riskLevel: 'high',
    riskState: 'atRisk',
  });
});

test('grants and permissions of all parts are combined and counted', () => {
  const app = { id: 'app', displayName: 'App' };
  const grant = (id: string, scope: string, principalId: string | null) =>
    readSource('graph.oauth2permissiongrant', {
      id,
      clientId: 'app',
      consentType: principalId ? 'Principal' : 'AllPrincipals',
      principalId,
      scope,
    });
  const role = { id: 'r', principalId: 'app', principalType: 'ServicePrincipal', appRoleId: 'x', resourceId: 'y' };
  const parts = [
    readSource('graph.serviceprincipal', app),
    grant('1', 'User.Read Mail.Send', 'ada'),
    grant('2', 'Files.Read', null),
    readSource('graph.approleassignment', role),
  ].flatMap(listParts);
  expect(mergeRecord(parts)).toMatchObject({
    delegatedPermissionCount: 3,
    applicationPermissionCount: 1,
    hasAdminConsent: true,
    hasTenantWideReach: true,
    hasWriteAccess: true,
    userConsentCount: 1,
  });
  expect(mergeRecord(parts)?.permissions).toHaveLength(4);
  expect(mergeRecord(parts.slice(1))).toBeNull();
  const revoked = listParts(readSource('graph.oauth2permissiongrant', { id: '2', clientId: 'app', '@removed': {} }));
  expect(mergeRecord([...parts, ...revoked])).toMatchObject({ delegatedPermissionCount: 2 });
});

test('the widest link of a file determines its sharing scope', () => {
  const permission = (id: string, scope: string | null) =>
    readSource(
      'graph.permission',
      scope === null
        ? { id, roles: ['write'], grantedToV2: { user: { id: `of ${id}`, displayName: id, email: 'a#EXT#@x' } } }
        : { id, roles: ['read'], link: { scope } },
      { kind: 'file', id: 'f' },
    );
  const file = readSource('graph.driveitem', { id: 'f', name: 'a.txt' });
  const shared = (...permissions: ReturnType<typeof permission>[]) =>
    mergeRecord([file, ...permissions].flatMap(listParts));
  expect(shared()).not.toHaveProperty('sharingScope');
  expect(shared(permission('1', null))).toMatchObject({
    sharingScope: 'specificPeople',
    accessPrincipalCount: 1,
    externalUserCount: 1,
  });
  expect(shared(permission('1', null), permission('2', 'organization'))).toMatchObject({
    sharingScope: 'organization',
    hasAnonymousLink: false,
  });
  expect(shared(permission('2', 'organization'), permission('3', 'anonymous'))).toMatchObject({
    sharingScope: 'anyone',
    hasAnonymousLink: true,
    hasOrganizationLink: true,
  });
});

test('everyone whom a file or a link was granted to is counted once, guests in every spelling as external', () => {
  const claim = 'i:0#.f|membership|';
  const eve = {
    user: { id: 'eve', displayName: 'Eve', email: 'eve@home.example' },
    siteUser: { id: '12', loginName: `${claim}eve_home.example#ext#@contoso.onmicrosoft.example` },
  };
  const misty = {
    user: { id: 'misty', displayName: 'Misty', email: 'misty@contoso.example' },
    siteUser: { id: '7', loginName: `${claim}misty@contoso.example` },
  };
  const otto = { siteUser: { loginName: `${claim}urn%3aspo%3aguest#otto@home.example` } };
  const read = (permission: Record<string, unknown>) =>
    readSource('graph.permission', permission, { kind: 'file', id: 'f' });
  const link = read({
    id: 'l',
    roles: ['read'],
    link: { scope: 'users', type: 'view' },
    grantedToIdentitiesV2: [misty, eve, otto, { user: { displayName: '' } }],
    grantedToIdentities: [{ user: { id: 'misty' } }, { user: { email: 'otto@home.example' } }],
  });
  const direct = read({ id: 'd', roles: ['write'], grantedToV2: eve, grantedTo: { user: { id: 'eve' } } });
  const others = read({
    id: 'o',
    roles: ['read'],
    grantedToIdentitiesV2: [
      { user: { id: 'zoe', email: 'zoe@somewhere.example' } },
      { group: { id: 'g', email: 'team@contoso.example' } },
    ],
  });
  const file = readSource('graph.driveitem', { id: 'f', name: 'a.txt' });
  const parts = [file, link, direct].flatMap(listParts);
  expect(mergeRecord(parts)).toMatchObject({ accessPrincipalCount: 3, externalUserCount: 2 });
  expect(mergeRecord(parts)?.permissions).toMatchObject([
    { id: 'd', linkScope: null, principalId: 'eve', isExternal: true },
    { id: 'l', linkScope: 'users', principalId: 'misty', principalName: 'Misty', isExternal: false },
    { id: 'l', principalId: 'eve', isExternal: true },
    { id: 'l', principalType: 'user', principalId: null, principalName: 'otto@home.example', isExternal: true },
  ]);
  const facts = JSON.parse(`{${mergeEntity('file', parts)?.facts}}`) as Record<string, unknown>;
  expect(facts.externalUserIds).toEqual(['eve', 'otto@home.example']);
  expect(mergeRecord([file, others].flatMap(listParts))?.permissions).toMatchObject([
    { principalId: 'zoe', isExternal: null },
    { principalType: 'group', principalId: 'g', isExternal: false },
  ]);
});

test("the platform's own records are parsed strictly", () => {
  const detail = (members: Record<string, unknown>, kind = 'user') => {
    const [outcome] = readEntity(kind, 'u', members);
    return outcome?.kind === 'rejected' ? `${outcome.reason}: ${outcome.detail}` : outcome?.kind;
  };
  expect(detail({ displayName: 'Ada' })).toBe('part');
  expect(detail({ displayName: 'Ada', unknownMember: 5 })).toBe('part');
  expect(detail({})).toMatch(/^SCHEMA_VIOLATION: member displayName/);
  expect(detail({ displayName: 'Ada', userType: 'robot' })).toMatch(/^SCHEMA_VIOLATION: member userType/);
  expect(detail({ displayName: 'Ada', groupCount: -1 })).toMatch(/^SCHEMA_VIOLATION: member groupCount/);
  expect(detail({ displayName: 'Ada', lastSignInAt: '2026-11-20T08:00:00' })).toMatch(
    /^SCHEMA_VIOLATION: member lastSignInAt/,
  );
  expect(detail({ displayName: 'A' }, 'agent')).toMatch(/^SCHEMA_VIOLATION: member kind/);
});

test('an entity may have any number of parts', () => {
  const grants = Array.from({ length: 150_000 }, (_, number) =>
    part(`graph.oauth2permissiongrant:${number}`, number, { facts: { permissions: [{ value: 'Mail.Read' }] } }),
  );
  const merged = mergeEntity('app', [part('graph.serviceprincipal', 1), ...grants]);
  expect(JSON.parse(`{${merged?.members}}`)).toMatchObject({
    displayName: 'graph.serviceprincipal 1',
    lastSeenAt: new Date(1_790_000_000_000 + 149_999).toISOString(),
  });
});
