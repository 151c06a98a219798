import {
  type ComplianceStatus,
  complianceStatus,
  getCopilotReadiness,
  getSecurityScore,
  operations,
} from '@tenantscope/contract';
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
  '%s returns one object of the documented shape and refuses unknown parameters',
  async (path, record) => {
    const { status, body } = await reader.get(path);
    expect(status).toBe(200);
    const { data, ...others } = body;
    expect(others).toEqual({});
    record.strict().parse(data);
    const refused = await reader.get(path, { limit: '5' });
    expect([refused.status, refused.code]).toEqual([400, 'INVALID_PARAMETER']);
  },
);

type Status = ComplianceStatus;
const readStatus = async (parameters: Record<string, string> = {}): Promise<Status> => {
  const response = await reader.get('/compliance/status', parameters);
  expect(response.status, response.text).toBe(200);
  return complianceStatus.strict().parse(response.body.data);
};
/** The members that narrowing leaves as they are, apart from times of evaluation. */
const unnarrowed = ({ requirements, frameworks, generatedAt, ...rest }: Status) => rest;

test('filters narrow requirements and frameworks, and counts remain those of the whole', async () => {
  const whole = await readStatus();
  const byFramework = await readStatus({ framework: 'nis2,dora' });
  expect(unnarrowed(byFramework)).toEqual(unnarrowed(whole));
  expect(byFramework.frameworks).toEqual(whole.frameworks.filter(({ key }) => key === 'nis2' || key === 'dora'));
  const keys = new Set(
    byFramework.frameworks.flatMap(({ controls }) => controls.flatMap((one) => one.requirementKeys)),
  );
  expect(byFramework.requirements.map(({ key }) => key).toSorted()).toEqual([...keys].toSorted());

  const one = whole.requirements[3]?.key ?? '';
  const byKey = await readStatus({ requirement: one });
  expect(unnarrowed(byKey)).toEqual(unnarrowed(whole));
  expect(byKey.requirements.map(({ key }) => key)).toEqual([one]);
  const cited = whole.frameworks
    .map((framework) => ({
      ...framework,
      controls: framework.controls.filter(({ requirementKeys }) => requirementKeys.includes(one)),
    }))
    .filter(({ controls }) => controls.length > 0);
  expect(byKey.frameworks).toEqual(cited);

  const statuses = new Set(whole.requirements.map(({ status }) => status));
  expect(statuses.size).toBeGreaterThan(0);
  for (const status of statuses) {
    const selected = await readStatus({ status, framework: 'ksc' });
    const ofFramework = whole.requirements.filter(({ articles }) =>
      articles.some(({ framework }) => framework === 'ksc'),
    );
    expect(selected.requirements.map(({ key }) => key)).toEqual(
      ofFramework.filter((each) => each.status === status).map(({ key }) => key),
    );
  }
  expect(await readStatus({ status: 'met', requirement: one })).toMatchObject(
    whole.requirements[3]?.status === 'met' ? { requirements: [{ key: one }] } : { requirements: [], frameworks: [] },
  );
});

test('a summary has every member, every count and no row, and is short enough for an agent', async () => {
  const [whole, summary] = [await readStatus(), await readStatus({ view: 'summary' })];
  expect(Object.keys(summary)).toEqual(Object.keys(whole));
  expect(summary.requirements).toEqual([]);
  expect(summary.frameworks).toEqual(whole.frameworks.map((framework) => ({ ...framework, controls: [] })));
  expect(summary.totalCount).toBe(whole.totalCount);
  expect(await readStatus({ view: 'full' })).toMatchObject(unnarrowed(whole));
  const { text } = await reader.get('/compliance/status', { view: 'summary', framework: 'nis2' });
  expect(text.length).toBeLessThan(20_000);
});

test('an unknown requirement key is refused with similar keys, and other texts without any', async () => {
  const [existing = ''] = (await readStatus()).requirements.map(({ key }) => key);
  const refused = await reader.get('/compliance/status', { requirement: `${existing},${existing}x` });
  expect([refused.status, refused.code]).toEqual([400, 'INVALID_PARAMETER']);
  expect(refused.body.error.details[0]).toMatchObject({
    parameter: 'requirement',
    allowed: expect.arrayContaining([existing]),
  });
  const strange = await reader.get('/compliance/status', { requirement: 'z'.repeat(300) });
  expect([strange.status, strange.body.error.details[0].allowed]).toEqual([400, undefined]);
});

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
