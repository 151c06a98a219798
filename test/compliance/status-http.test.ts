import { complianceStatus, getCopilotReadiness, getSecurityScore, operations } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Reader, type StillProduct, stillProduct } from '../guards/still-product.ts';
import { eventually } from '../product/eventually.ts';

let product: StillProduct;
let tenantId: string;
let reader: Reader;

beforeAll(async () => {
  product = await stillProduct();
  tenantId = await product.tenant();
  reader = product.reader(tenantId);
}, 60_000);
afterAll(() => product?.[Symbol.asyncDispose]());

const paths = {
  '/compliance/status': complianceStatus,
  '/copilot-readiness': getCopilotReadiness.record,
  '/security-score': getSecurityScore.record,
};

test.each(Object.entries(paths))(
  '%s answers one object of the shape that is described, and takes no parameter',
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

test.each(Object.keys(paths))('%s is for those who may read evidence', async (path) => {
  const { status, code } = await product.reader(tenantId, ['logs:read']).get(path);
  expect([status, code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
});

test('an evaluation that comes to no end is given up, in words that help', async () => {
  const client = await product.superuser.connect();
  try {
    // Whoever reads the table waits for this transaction.
    await client.query('begin; lock table models.compliance_record in access exclusive mode');
    const { status, code, body } = await reader.get('/compliance/status');
    expect([status, code]).toEqual([504, 'QUERY_TIMEOUT']);
    // There is no window that could be narrowed, but there is a tool that answers.
    expect(body.error.message).toContain('list_compliance_snapshots');
    expect(operations.map(({ name }) => name)).toContain('list_compliance_snapshots');
  } finally {
    await client.query('rollback');
    client.release();
  }
  expect((await reader.get('/compliance/status')).status).toBe(200);
}, 20_000);

test.each(Object.keys(paths))('%s: a caller that hangs up ends the questions to the database', async (path) => {
  await using client = await heldClient();
  await client.query('begin; lock table models.compliance_record in access exclusive mode');
  const waiting = async () => {
    // By another connection: a transaction sees who is active as it was when it first looked.
    const { rows } = await product.superuser.query(
      `select from pg_stat_activity where datname = current_database() and usename <> current_user and wait_event_type = 'Lock'`,
    );
    return rows.length;
  };
  const owner = { tenantId };
  const key = { name: 'impatient', scopes: ['evidence:read'], owner, expiresAt: null };
  const { secret } = await product.admin.keys.create(key);
  const patience = new AbortController();
  const asking = fetch(product.baseUrl + path, {
    headers: { Authorization: `Bearer ${secret}` },
    signal: patience.signal,
  });
  asking.catch(() => {});
  await eventually('the evaluation waits for the table', 5_000, async () => (await waiting()) > 0);
  patience.abort();
  await eventually('nothing waits any more', 1_500, async () => (await waiting()) === 0);
  await client.query('rollback');
});

/** A connection above every wall, and given back. */
async function heldClient() {
  const client = await product.superuser.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: async () => client.release() });
}

test('the documents say the same of one requirement', async () => {
  const [status, readiness] = await Promise.all(
    ['/compliance/status', '/copilot-readiness'].map(async (path) => (await reader.get(path)).body.data),
  );
  const statusOf = (key: string) => status.requirements.find((one: { key: string }) => one.key === key).status;
  for (const { findings } of readiness.dimensions)
    for (const { requirementKey, status } of findings) expect(status, requirementKey).toBe(statusOf(requirementKey));
});
