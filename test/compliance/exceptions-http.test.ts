import { listComplianceExceptions } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ControlledInstallation,
  type Reader,
  startControlledInstallation,
} from '../guards/controlled-installation.ts';

const { path, record } = listComplianceExceptions;
const dayMs = 86_400_000;
const at = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

let product: ControlledInstallation;
beforeAll(async () => {
  product = await startControlledInstallation();
});
afterAll(() => product?.[Symbol.asyncDispose]());

const plain = {
  requirementKey: 'iam.mfa.members',
  subjectIds: ['room-1', 'room-2'],
  reason: 'shared accounts of meeting rooms',
  approvedBy: 'Ewa Żak',
};

/** A tenant with these exceptions, of which each state is recorded a day ago, or as given. */
async function createReader(...exceptions: readonly Record<string, unknown>[]): Promise<Reader> {
  const tenantId = await product.createTenant();
  for (const [place, { id, recordedAt = at(-1), ...members }] of exceptions.entries()) {
    const payload = { ...plain, validFrom: at(-10), validUntil: at(20), ...members };
    await product.superuser.query(
      `insert into models.compliance_record
         (tenant_id, id, version, digest, updated_at, changed_at, kind, record_id, document, requirement_key)
       values ($1, 'exception/' || $2::text, $3, '', $4, $4, 'exception', $2, $5, $6)
       on conflict (tenant_id, id) do update set version = excluded.version, updated_at = excluded.updated_at, document = excluded.document`,
      [tenantId, id, place + 1, recordedAt, JSON.stringify({ payload }), payload.requirementKey],
    );
  }
  return product.reader(tenantId);
}

const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);

test('a tenant without exceptions has an empty list', async () => {
  const { status, body, text } = await (await createReader()).get(path);
  expect(status, text).toBe(200);
  expect([body.data, body.pagination.hasMore]).toEqual([[], false]);
});

test('each exception has its latest state, with who approved and who recorded it', async () => {
  const query = { subjectName: 'svc-*', detail: { mfa: 'none' } };
  const reader = await createReader(
    { id: 'by-query', subjectIds: null, query, evidenceRefs: ['https://intranet.example/risk/7', 'minutes of 3 May'] },
    { id: 'ended', validUntil: at(-2), validFrom: at(-30) },
    { id: 'later', validFrom: at(3) },
    { id: 'one', reason: 'first text', recordedAt: at(-3) },
    { id: 'one' },
    { id: 'taken-back', withdrawnAt: at(-0.5), withdrawnBy: 'Jan Nowak', withdrawalReason: 'too wide' },
    { id: 'unknown-key', requirementKey: 'no.such.requirement' },
  );
  const { body } = await reader.get(path);
  for (const one of body.data) record.strict().parse(one);
  expect(body.data.map((one: Record<string, unknown>) => [one.id, one.state])).toEqual([
    ['by-query', 'in_force'],
    ['ended', 'expired'],
    ['later', 'not_yet_in_force'],
    ['one', 'in_force'],
    ['taken-back', 'withdrawn'],
    ['unknown-key', 'in_force'],
  ]);
  expect(body.data[0]).toMatchObject({
    subjectIds: null,
    query: { subjectType: null, ...query },
    evidenceRefs: [
      { uri: 'https://intranet.example/risk/7', sha256: null, title: null },
      { uri: null, sha256: null, title: 'minutes of 3 May' },
    ],
  });
  expect(body.data[3]).toMatchObject({
    ...plain,
    query: null,
    withdrawnAt: null,
    findingsUrl: '/compliance/requirements/iam.mfa.members/findings?state=excepted',
  });
  expect(body.data[3].recordedBy).not.toBe('');
  expect(body.data[4]).toMatchObject({ withdrawnBy: 'Jan Nowak', withdrawalReason: 'too wide' });
  expect(body.data[5].findingsUrl).toBeNull();
  expect((await reader.get(body.data[3].findingsUrl)).status).toBe(200);
});

test('states and requirements narrow the list', async () => {
  const reader = await createReader(
    { id: 'a' },
    { id: 'b', validUntil: at(-2), validFrom: at(-30) },
    { id: 'c', requirementKey: 'dev.compliant' },
  );
  expect(idsOf((await reader.get(path, { state: 'in_force' })).body)).toEqual(['a', 'c']);
  expect(idsOf((await reader.get(path, { state: 'expired,withdrawn' })).body)).toEqual(['b']);
  expect(idsOf((await reader.get(path, { requirement: 'dev.compliant,iam.mfa.members' })).body)).toEqual([
    'a',
    'b',
    'c',
  ]);
  expect(idsOf((await reader.get(path, { requirement: 'dev.compliant', state: 'in_force' })).body)).toEqual(['c']);
  expect((await reader.get(path, { requirement: '__proto__' })).body.data).toEqual([]);
  expect(await reader.get(path, { state: 'valid' })).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' });
});

test('joined pages are the whole list at the instant of the first one', async () => {
  const ids = ['Z', 'a/b', 'a', 'ä', 'zz', "o'hara", '😀'];
  const reader = await createReader(...ids.map((id) => ({ id })));
  const all = idsOf((await reader.get(path)).body);
  expect(all.toSorted()).toEqual(ids.toSorted());
  const first = (await reader.get(path, { limit: '3', state: 'in_force' })).body;
  // Recorded after the first page: not known at its instant.
  await product.superuser.query(
    `insert into models.compliance_record
       (tenant_id, id, version, digest, updated_at, changed_at, kind, record_id, document, requirement_key)
     select tenant_id, 'exception/zzz', 1, '', now(), now(), kind, 'zzz', document, requirement_key
       from models.compliance_record where tenant_id = $1 and record_id = 'Z'`,
    [reader.tenantId],
  );
  const pages = [first];
  for (let cursor = first.pagination.nextCursor; cursor; cursor = pages.at(-1)?.pagination.nextCursor)
    pages.push((await reader.get(path, { cursor })).body);
  expect(pages.flatMap(idsOf)).toEqual(all);
  expect(new Set(pages.map(({ pagination }) => pagination.evaluatedAt)).size).toBe(1);
  expect(idsOf((await reader.get(path)).body)).toContain('zzz');
});

test('a page ends at 8 MiB', async () => {
  const subjectIds = Array.from({ length: 1_000 }, (_, number) => `${number}-${'x'.repeat(3_000)}`);
  const reader = await createReader(...['a', 'b', 'c'].map((id) => ({ id, subjectIds })));
  const first = (await reader.get(path)).body;
  expect([idsOf(first), first.pagination.hasMore]).toEqual([['a', 'b'], true]);
  expect(idsOf((await reader.get(path, { cursor: first.pagination.nextCursor })).body)).toEqual(['c']);
});

test('exceptions are CSV for a client that accepts CSV, and no cell is a formula', async () => {
  const reader = await createReader({ id: '=cmd', reason: '@SUM(1)' });
  const { tenantId } = reader;
  const key = { name: 'auditor', scopes: ['evidence:read' as const], owner: { tenantId }, expiresAt: null };
  const { secret } = await product.admin.keys.create(key);
  const response = await fetch(`${product.baseUrl}${path}`, {
    headers: { authorization: `Bearer ${secret}`, accept: 'text/csv' },
  });
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [header = '', line = '', end] = (await response.text()).split('\r\n');
  expect(header).toMatch(/^id,requirementKey,state,subjectIds,.*,approvedBy,.*,findingsUrl$/);
  expect(line).toMatch(/^'=cmd,iam\.mfa\.members,in_force,room-1 room-2,,,,'@SUM\(1\),Ewa Żak,/);
  expect(end).toBe('');
});

test('exceptions are of one tenant and require the scope evidence:read', async () => {
  const [reader, other] = [await createReader({ id: 'a' }, { id: 'b' }), await createReader({ id: 'c' })];
  expect(idsOf((await other.get(path)).body)).toEqual(['c']);
  const { nextCursor: cursor } = (await reader.get(path, { limit: '1' })).body.pagination;
  expect(await other.get(path, { cursor })).toMatchObject({ status: 400, code: 'INVALID_CURSOR' });
  expect(await product.reader(reader.tenantId, ['logs:read']).get(path)).toMatchObject({ status: 403 });
});
