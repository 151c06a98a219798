import { expect, test } from 'vitest';
import { findProviderTenant, readActivity, type TenantFacts, toEventType } from '../src/index.ts';
import { azureTenantId, context, management as fullRecord, tenantId } from './message.ts';

/** A record that names no Microsoft tenant of its own. */
const management = (members: Record<string, unknown> = {}) => fullRecord({ OrganizationId: undefined, ...members });

const other = { id: '11111111-0000-4000-8000-000000000001', azureTenantId: 'a1b2c3d4-0000-4000-8000-00000000beef' };
const twins = { azureTenantId: 'a1b2c3d4-0000-4000-8000-0000000000aa' };
const sixth = 'a1b2c3d4-0000-4000-8000-0000000000bb';
const tenants = new Map<string, TenantFacts>([
  [tenantId, { azureTenantId }],
  [other.id, { azureTenantId: other.azureTenantId.toUpperCase() }],
  ['11111111-0000-4000-8000-000000000002', twins],
  ['11111111-0000-4000-8000-000000000003', twins],
  [
    '11111111-0000-4000-8000-000000000004',
    { azureTenantId: null, providerIds: ['acme.okta.com', 'C03AZ79cc', 'shared'] },
  ],
  ['11111111-0000-4000-8000-000000000005', { azureTenantId: null, providerIds: ['Shared'] }],
  ['11111111-0000-4000-8000-000000000006', { azureTenantId: sixth, providerIds: [sixth.toUpperCase()] }],
]);

function read(path: string, payload: unknown, more: Record<string, string> = {}, onlyElement: number | null = null) {
  const value = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  const headers: Record<string, string> = {
    ce_specversion: '1.0',
    ce_type: toEventType('o365.management-activity'),
    ce_tenantfrom: path,
    ...more,
  };
  return readActivity(
    { key: null, value, headers },
    {
      ...context,
      findTenant: (id) => tenants.get(id),
      findProviderTenant: (id) => findProviderTenant(tenants, id),
      onlyElement,
    },
  ).map((outcome) =>
    outcome.kind === 'log'
      ? outcome.row.tenantId
      : outcome.kind === 'rejected'
        ? `${outcome.reason}: ${outcome.detail} (${outcome.tenantId}, ${outcome.element})`
        : outcome.kind,
  );
}

test('each record belongs to the tenant that its member names, by the id at the provider or our own', () => {
  const ids = [azureTenantId, other.azureTenantId, azureTenantId.toUpperCase(), ` ${other.id} `];
  const records = ids.map((owner) => management({ owner }));
  expect(read('owner', records)).toEqual([tenantId, other.id, tenantId, other.id]);
  expect(read('owner', records, {}, 1)).toEqual([other.id]);
});

test('a record belongs to the tenant that has its id at another provider, in any case', () => {
  const fourth = '11111111-0000-4000-8000-000000000004';
  const ids = ['ACME.okta.com', ' C03az79cc', sixth, sixth.toUpperCase()];
  expect(
    read(
      'owner',
      ids.map((owner) => management({ owner })),
    ),
  ).toEqual([fourth, fourth, '11111111-0000-4000-8000-000000000006', '11111111-0000-4000-8000-000000000006']);
  expect(read('owner', management({ owner: 'shared' }))).toEqual([
    expect.stringContaining('member owner has "shared", the provider id of several tenants'),
  ]);
});

test.each([
  ['nested members', 'a.b', { a: { b: azureTenantId } }],
  ['one name with a dot', 'a.b', { 'a.b': azureTenantId }],
  ['a nested name with a dot', 'a.b.c', { a: { 'b.c': azureTenantId } }],
  ['a name with a dot above another', 'a.b.c', { 'a.b': { c: azureTenantId }, a: 'text' }],
  ['a member that the first name of the path leads away from', 'a.b.c', { a: { b: 1 }, 'a.b': { c: azureTenantId } }],
])('the path finds %s', (_, path, members) => {
  expect(read(path, management(members))).toEqual([tenantId]);
});

test('a wrapper of all records names their tenant, unless a record names its own', () => {
  const records = [management({ customerId: other.azureTenantId }), management()];
  expect(read('customerId', { customerId: azureTenantId, records })).toEqual([other.id, tenantId]);
});

test('a record of no tenant is rejected with the value, the others are read', () => {
  const values = ['C03az79cb', twins.azureTenantId, '', null, {}, [], 12, `x${'\u202e\u0000'}y`, 'z'.repeat(100_000)];
  const [accepted, ...rejected] = read(
    'customerId',
    [azureTenantId, ...values].map((customerId) => management({ customerId })),
  );
  expect(accepted).toBe(tenantId);
  expect(rejected.map((text) => text.replace(/^MISSING_TENANT: /, '').slice(0, 90))).toEqual([
    'member customerId has "C03az79cb", the provider id of no tenant (null, 1)',
    expect.stringContaining('-0000000000aa", the provider id of sever'),
    'the record has no member customerId with the id of its tenant (null, 3)',
    'the record has no member customerId with the id of its tenant (null, 4)',
    'the record has no member customerId with the id of its tenant (null, 5)',
    'the record has no member customerId with the id of its tenant (null, 6)',
    'member customerId has "12", the provider id of no tenant (null, 7)',
    expect.stringMatching(/^member customerId has "x\P{C}+y", the provider id of no tenant/u),
    expect.stringMatching(/^member customerId has "z{50,}/),
  ]);
  expect(rejected.every((text) => text.startsWith('MISSING_TENANT') && text.length < 300)).toBe(true);
});

test.each(['__proto__', 'constructor', 'constructor.name', 'toString', 'length', '.', '..', 'a..b', '', ' '])(
  'the path %j finds nothing that is not a member',
  (path) => {
    const [outcome] = read(path, management());
    expect(outcome).toMatch(/^MISSING_TENANT/);
  },
);

test('a record of another Microsoft tenant than its member names is rejected as one of that tenant', () => {
  expect(read('owner', management({ owner: other.id, OrganizationId: azureTenantId }))).toEqual([
    expect.stringMatching(new RegExp(`^TENANT_MISMATCH: .*\\(${other.id}, `)),
  ]);
});

test('an envelope with tenantid and tenantfrom is rejected', () => {
  expect(read('owner', management(), { ce_tenantid: tenantId })).toEqual([
    expect.stringMatching(/^SCHEMA_VIOLATION: attributes tenantid and tenantfrom exclude each other/),
  ]);
});
