import { type Message, readTenantRecord } from '@tenantscope/intake';
import { describe, expect, test } from 'vitest';
import { azureTenantId, tenantId } from './message.ts';

const organizationId = '11111111-2222-4333-8444-555555555555';
const tenant = {
  id: tenantId,
  name: 'Contoso',
  organizationId,
  azureTenantId,
  plan: 'api',
  version: 7,
  changedAt: '2026-11-20T08:15:30.1239Z',
};

function published(record: unknown, changes: Partial<Message> = {}, kind = 'tenant'): Message {
  const headers = { ce_specversion: '1.0', ce_type: `tenantscope.${kind}.upserted.v1` };
  return { key: Buffer.from(tenantId), value: Buffer.from(JSON.stringify(record)), headers, ...changes };
}

test('a tenant is read in full', () => {
  const record = { ...tenant, changedAt: '2026-11-20T08:15:30.123Z' };
  expect(readTenantRecord(published(tenant))).toEqual({ kind: 'tenant', record });
  const capitals = { ...tenant, id: tenantId.toUpperCase(), azureTenantId: azureTenantId.toUpperCase() };
  expect(readTenantRecord(published(capitals))).toEqual({ kind: 'tenant', record });
  expect(readTenantRecord(published({ ...tenant, more: [1] }, { key: null }))).toEqual({ kind: 'tenant', record });
});

test('a tenant is valid without an organization and without a Microsoft tenant', () => {
  const { organizationId: _organization, ...alone } = { ...tenant, azureTenantId: null };
  expect(readTenantRecord(published(alone))).toMatchObject({ record: { organizationId: null, azureTenantId: null } });
});

test('a tenant can have a time zone, and a tenant without one has the same digest as before', () => {
  expect(readTenantRecord(published({ ...tenant, timeZone: 'Europe/Warsaw' }))).toMatchObject({
    record: { timeZone: 'Europe/Warsaw' },
  });
  const silent = readTenantRecord(published({ ...tenant, timeZone: null }));
  expect(silent).toEqual(readTenantRecord(published(tenant)));
});

test('an organization is read', () => {
  const organization = { id: organizationId, name: 'Contoso Group', version: 1, changedAt: '2026-11-20T08:15:30Z' };
  const message = published(organization, { key: Buffer.from(organizationId) }, 'organization');
  expect(readTenantRecord(message)).toEqual({
    kind: 'organization',
    record: { ...organization, changedAt: '2026-11-20T08:15:30.000Z' },
  });
});

test('a tombstone does nothing', () => {
  expect(readTenantRecord(published(null, { value: null }))).toEqual({ kind: 'skip', reason: expect.any(String) });
});

describe('an invalid message is rejected', () => {
  test.each([
    ['id', 'contoso'],
    ['id', undefined],
    ['name', ''],
    ['name', 7],
    ['name', 'n'.repeat(257)],
    ['organizationId', 'contoso'],
    ['azureTenantId', 7],
    ['plan', 'gold'],
    ['timeZone', 'Mars/Olympus'],
    ['timeZone', 7],
    ['plan', undefined],
    ['version', 0],
    ['version', 1.5],
    ['version', '7'],
    ['version', 2 ** 53],
    ['changedAt', '2026-11-20T08:15:30'],
    ['changedAt', 1_700_000_000],
  ])('a record with %s %s is rejected', (member, value) => {
    expect(readTenantRecord(published({ ...tenant, [member]: value }))).toMatchObject({
      kind: 'rejected',
      reason: 'SCHEMA_VIOLATION',
      stage: 'validate',
      detail: expect.stringContaining(`member ${member} `),
      tenantId,
    });
  });

  test.each([
    ['another tenant’s key', published(tenant, { key: Buffer.from(organizationId) }), 'KEY_MISMATCH'],
    ['a deletion', published(tenant, { headers: { ce_type: 'tenantscope.tenant.deleted.v1' } }), 'UNKNOWN_TYPE'],
    [
      'a later version',
      published(tenant, { headers: { ce_type: 'tenantscope.tenant.upserted.v2' } }),
      'UNSUPPORTED_VERSION',
    ],
    [
      'another CloudEvents',
      published(tenant, { headers: { ...published(tenant).headers, ce_specversion: '2.0' } }),
      'UNSUPPORTED_VERSION',
    ],
    ['half a record', published(tenant, { value: Buffer.from('{') }), 'INVALID_JSON'],
    ['a list', published([tenant]), 'SCHEMA_VIOLATION'],
    ['nothing', published(tenant, { value: Buffer.alloc(0) }), 'EMPTY_PAYLOAD'],
  ])('a message is rejected: %s', (_what, message, reason) => {
    expect(readTenantRecord(message)).toMatchObject({ kind: 'rejected', reason });
  });
});
