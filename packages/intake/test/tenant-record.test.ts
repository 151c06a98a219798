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

const nowMs = Date.parse('2026-11-21T12:00:00Z');
const read = (message: Message) => readTenantRecord(message, nowMs);

function published(record: unknown, changes: Partial<Message> = {}, kind = 'tenant'): Message {
  const headers = { ce_specversion: '1.0', ce_type: `tenantscope.${kind}.upserted.v1` };
  return { key: Buffer.from(tenantId), value: Buffer.from(JSON.stringify(record)), headers, ...changes };
}

test('a tenant is read in full', () => {
  const record = { ...tenant, changedAt: '2026-11-20T08:15:30.123Z' };
  expect(read(published(tenant))).toEqual({ kind: 'tenant', record });
  const capitals = { ...tenant, id: tenantId.toUpperCase(), azureTenantId: azureTenantId.toUpperCase() };
  expect(read(published(capitals))).toEqual({ kind: 'tenant', record });
  expect(read(published({ ...tenant, more: [1] }, { key: null }))).toEqual({ kind: 'tenant', record });
});

test('a tenant is valid without an organization and without a Microsoft tenant', () => {
  const { organizationId: _organization, ...alone } = { ...tenant, azureTenantId: null };
  expect(read(published(alone))).toMatchObject({ record: { organizationId: null, azureTenantId: null } });
});

test('a tenant can have a time zone, and a tenant without one has the same digest as before', () => {
  expect(read(published({ ...tenant, timeZone: 'Europe/Warsaw' }))).toMatchObject({
    record: { timeZone: 'Europe/Warsaw' },
  });
  const silent = read(published({ ...tenant, timeZone: null }));
  expect(silent).toEqual(read(published(tenant)));
});

test('a name shows its invisible characters, which the database may refuse', () => {
  const name = ' Con\u0000toso\u202e \ud800 ';
  expect(read(published({ ...tenant, name }))).toMatchObject({
    record: { name: 'Con\\u{0}toso\\u{202E} \\u{D800}' },
  });
});

test('an organization is read', () => {
  const organization = { id: organizationId, name: 'Contoso Group', version: 1, changedAt: '2026-11-20T08:15:30Z' };
  const message = published(organization, { key: Buffer.from(organizationId) }, 'organization');
  expect(read(message)).toEqual({
    kind: 'organization',
    record: { ...organization, changedAt: '2026-11-20T08:15:30.000Z' },
  });
});

test('a tombstone does nothing', () => {
  expect(read(published(null, { value: null }))).toEqual({ kind: 'skip', reason: expect.any(String) });
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
    expect(read(published({ ...tenant, [member]: value }))).toMatchObject({
      kind: 'rejected',
      reason: 'SCHEMA_VIOLATION',
      stage: 'validate',
      detail: expect.stringContaining(`member ${member} `),
      tenantId,
    });
  });

  test('a version more than a day ahead of the clock in microseconds is rejected', () => {
    const latest = (nowMs + 86_400_000) * 1_000;
    expect(read(published({ ...tenant, version: latest }))).toMatchObject({ record: { version: latest } });
    expect(read(published({ ...tenant, version: latest + 1 }))).toMatchObject({
      kind: 'rejected',
      reason: 'FUTURE_VERSION',
      stage: 'validate',
      detail: expect.stringContaining('member version'),
      tenantId,
    });
  });

  test.each([
    ['the key of another tenant', published(tenant, { key: Buffer.from(organizationId) }), 'KEY_MISMATCH'],
    ['a deletion', published(tenant, { headers: { ce_type: 'tenantscope.tenant.deleted.v1' } }), 'UNKNOWN_TYPE'],
    [
      'a later version',
      published(tenant, { headers: { ce_type: 'tenantscope.tenant.upserted.v2' } }),
      'UNSUPPORTED_VERSION',
    ],
    [
      'another CloudEvents version',
      published(tenant, { headers: { ...published(tenant).headers, ce_specversion: '2.0' } }),
      'UNSUPPORTED_VERSION',
    ],
    ['a truncated record', published(tenant, { value: Buffer.from('{') }), 'INVALID_JSON'],
    ['a list', published([tenant]), 'SCHEMA_VIOLATION'],
    ['an empty value', published(tenant, { value: Buffer.alloc(0) }), 'EMPTY_PAYLOAD'],
  ])('a message is rejected: %s', (_what, message, reason) => {
    expect(read(message)).toMatchObject({ kind: 'rejected', reason });
  });
});
