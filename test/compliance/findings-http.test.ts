import { requirementCatalogue } from '@tenantscope/compliance';
import { findingsPath, listComplianceFindings } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ControlledInstallation,
  type Reader,
  startControlledInstallation,
} from '../guards/controlled-installation.ts';

let product: ControlledInstallation;
let tenants: readonly [string, string];
let reader: Reader;

const path = findingsPath('iam.mfa.members');

beforeAll(async () => {
  product = await startControlledInstallation();
  tenants = [await product.createTenant(), await product.createTenant()];
  reader = product.reader(tenants[0]);
  for (const [place, tenantId] of tenants.entries()) await writeAccounts(tenantId, 5 + place);
});
afterAll(() => product?.[Symbol.asyncDispose]());

/** Accounts without a second factor, of a source that was just imported. The ids are the same in both tenants. */
async function writeAccounts(tenantId: string, count: number): Promise<void> {
  await product.superuser.query(
    `insert into models.entity_fact (tenant_id, kind, id, is_deleted, updated_at, facts)
     select $1, 'user', 'user-' || number, false, now(), '{"userType":"member","accountEnabled":true,"mfaRegistered":false}'
       from generate_series(1, $2::integer) number`,
    [tenantId, count],
  );
  const payload = { source: 'users', enabled: true, licensed: true, lastCompleteImportAt: new Date().toISOString() };
  await product.superuser.query(
    `insert into models.compliance_record (tenant_id, id, version, digest, updated_at, changed_at, kind, record_id, document)
     values ($1, 'sourceStatus/users', 1, '', now(), now(), 'sourceStatus', 'users', $2)`,
    [tenantId, JSON.stringify({ payload })],
  );
}

test('a page has the documented shape, and its Link header continues it', async () => {
  const { status, body, text, headers } = await reader.get(path, { limit: '2' });
  expect(status, text).toBe(200);
  for (const finding of body.data) listComplianceFindings.record.strict().parse(finding);
  expect(body.data.map(({ subjectId }: { subjectId: string }) => subjectId)).toEqual(['user-1', 'user-2']);
  const { nextCursor, hasMore, limit, evaluatedAt, note } = body.pagination;
  expect({ hasMore, limit, note }).toEqual({ hasMore: true, limit: 2, note: null });
  expect(headers.get('Link')).toContain(`${path}?cursor=${nextCursor}>; rel="next"`);
  const next = await reader.get(path, { cursor: nextCursor, state: 'nonsense' });
  expect(next.body.data).toHaveLength(2);
  expect(next.body.pagination.evaluatedAt).toBe(evaluatedAt);
});

test('each tenant has its own findings', async () => {
  const counts = await Promise.all(
    tenants.map(async (tenantId) => (await product.reader(tenantId).get(path)).body.data.length),
  );
  expect(counts).toEqual([5, 6]);
});

test('a cursor continues the findings of its tenant and its requirement alone', async () => {
  const { nextCursor } = (await reader.get(path, { limit: '1' })).body.pagination;
  const refusals = await Promise.all([
    reader.get(findingsPath('iam.mfa.admins'), { cursor: nextCursor }),
    product.reader(tenants[1]).get(path, { cursor: nextCursor }),
    reader.get('/compliance/snapshots', { cursor: nextCursor }),
  ]);
  expect(refusals.map(({ status, code }) => [status, code])).toEqual(Array(3).fill([400, 'INVALID_CURSOR']));
});

test('an unknown requirement is not found; attested requirements and ages have an empty list with a note', async () => {
  for (const key of ['nobody', '__proto__', 'iam.mfa.members%2F', "iam'--", '%F0%9F%98%80'])
    expect(await reader.get(findingsPath(key)), key).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  const attested = requirementCatalogue.find(({ kind }) => kind === 'attested');
  for (const key of [
    'ops.logs.ingestion_lag',
    'ai.logs.retention_183',
    'iam.admins.global_count',
    attested?.key ?? '',
  ]) {
    const { status, body } = await reader.get(findingsPath(key));
    expect([status, body.data, typeof body.pagination.note], key).toEqual([200, [], 'string']);
  }
});

test('a requirement whose source is missing has no findings, with the reason in a note', async () => {
  const { body } = await reader.get(findingsPath('dev.compliant'));
  expect(body.data).toEqual([]);
  expect(body.pagination.note).toContain('source_missing');
});

test('the state is one of the documented values', async () => {
  expect((await reader.get(path, { state: 'unknown' })).body.data).toEqual([]);
  expect((await reader.get(path, { state: 'failing,unknown' })).body.data).toHaveLength(5);
  expect(await reader.get(path, { state: 'bad' })).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' });
});

test('findings require the scope evidence:read', async () => {
  const { status, code } = await product.reader(tenants[0], ['logs:read', 'entities:read']).get(path);
  expect([status, code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
});
