import { complianceStatus, getCopilotReadiness, getSecurityScore, operations } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ControlledInstallation,
  type Reader,
  startControlledInstallation,
} from '../guards/controlled-installation.ts';
import { eventually } from '../installation/eventually.ts';

let product: ControlledInstallation;
let tenantId: string;
let reader: Reader;

beforeAll(async () => {
  product = await startControlledInstallation();
  tenantId = await product.createTenant();
  reader = product.reader(tenantId);
});
afterAll(() => product?.[Symbol.asyncDispose]());

const paths = {
  '/compliance/status': complianceStatus,
  '/copilot-readiness': getCopilotReadiness.record,
  '/security-score': getSecurityScore.record,
};

test.each(Object.entries(paths))(
  '%s returns one object of the documented shape and accepts no parameter',
  async (path, record) => {
    const { status, body } = await reader.get(path);
    expect(status).toBe(200);
    const { data, ...others } = body;
    expect(others).toEqual({});
    record.strict().parse(data);
    const refused = await reader.get(path, { framework: 'nis2' });
    expect([refused.status, refused.code]).toEqual([400, 'INVALID_PARAMETER']);
  },
);

test.each(Object.keys(paths))('%s requires the scope evidence:read', async (path) => {
  const { status, code } = await product.reader(tenantId, ['logs:read']).get(path);
  expect([status, code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
});

test('an evaluation over its time limit is aborted with a helpful error', async () => {
  const client = await product.superuser.connect();
  try {
    // Readers of the table wait for this transaction.
    await client.query('begin; lock table models.compliance_record in access exclusive mode');
    const { status, code, body } = await reader.get('/compliance/status');
    expect([status, code]).toEqual([504, 'QUERY_TIMEOUT']);
    // There is no window to narrow, but the error names a tool that works.
    expect(body.error.message).toContain('list_compliance_snapshots');
    expect(operations.map(({ name }) => name)).toContain('list_compliance_snapshots');
  } finally {
    await client.query('rollback');
    client.release();
  }
  expect((await reader.get('/compliance/status')).status).toBe(200);
});

test.each(Object.keys(paths))('%s cancels its database queries when the client disconnects', async (path) => {
  await using client = await blockedClient();
  await client.query('begin; lock table models.compliance_record in access exclusive mode');
  const waiting = async () => {
    // On another connection: a transaction sees the activity of its first read only.
    const { rows } = await product.superuser.query(
      `select from pg_stat_activity where datname = current_database() and usename <> current_user and wait_event_type = 'Lock'`,
    );
    return rows.length;
  };
  const owner = { tenantId };
  const key = { name: 'impatient', scopes: ['evidence:read'], owner, expiresAt: null };
  const { secret } = await product.admin.keys.create(key);
  const disconnect = new AbortController();
  const pending = fetch(product.baseUrl + path, {
    headers: { Authorization: `Bearer ${secret}` },
    signal: disconnect.signal,
  });
  pending.catch(() => {});
  await eventually('the evaluation waits for the table', 5_000, async () => (await waiting()) > 0);
  disconnect.abort();
  await eventually('no query waits', 1_500, async () => (await waiting()) === 0);
  await client.query('rollback');
});

/** A pooled connection without row-level security. */
async function blockedClient() {
  const client = await product.superuser.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: async () => client.release() });
}

test('all documents report the same status for a requirement', async () => {
  const [status, readiness] = await Promise.all(
    ['/compliance/status', '/copilot-readiness'].map(async (path) => (await reader.get(path)).body.data),
  );
  const statusOf = (key: string) => status.requirements.find((one: { key: string }) => one.key === key).status;
  for (const { findings } of readiness.dimensions)
    for (const { requirementKey, status } of findings) expect(status, requirementKey).toBe(statusOf(requirementKey));
});
