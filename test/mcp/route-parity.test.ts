import { findExampleId, type Operation, operations } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlledInstallation, startControlledInstallation } from '../guards/controlled-installation.ts';
import { inspectList, lists } from '../guards/list-mapping.ts';
import { createRowWriter } from '../guards/row-writer.ts';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { createMcpClient, type McpClient } from './mcp-client.ts';

// A tool call is the operation of its route: the same bytes on success and on failure.

let product: ControlledInstallation;
let tenantId: string;
let caller: ApiClient;
let agent: McpClient;
const idsOf = new Map<string, readonly string[]>();
const same = { 'X-Request-Id': 'same' };

beforeAll(async () => {
  product = await startControlledInstallation();
  tenantId = await product.createTenant();
  const learner = product.reader(tenantId);
  for (const list of lists) {
    const maker = await createRowWriter(product.superuser, await inspectList(product, learner, list));
    const rows = Array.from({ length: 6 }, (_, at) => {
      const times = Object.keys(maker.mapping.axes).map((axis) => [axis, product.throughMs() - 10_000 + at] as const);
      return { id: maker.id(at), times: Object.fromEntries(times) };
    });
    await maker.write(tenantId, rows);
    idsOf.set(
      list.path,
      rows.map(({ id }) => id),
    );
  }
  await writeSnapshots();
  await writeExceptions();
  await newKey();
});
afterAll(() => product[Symbol.asyncDispose]());

/** Data that no import creates: the snapshot chain of a tenant, with minimal documents. */
async function writeSnapshots(): Promise<void> {
  await product.superuser.query(
    `insert into models.compliance_snapshot
       (tenant_id, id, taken_at, trigger, late, taken_by, catalogue_version, previous_sha256, sha256, document)
     select $1, gen_random_uuid(), to_timestamp($2::float8 / 1000) + at * interval '1 s', 'manual', false, 'test', '1',
            case when at > 1 then lpad((at - 1)::text, 64, '0') end, lpad(at::text, 64, '0'), '{"number":' || at || ',"status":{}}'
       from generate_series(1, 6) at`,
    [tenantId, product.throughMs() - 10_000],
  );
}

async function writeExceptions(): Promise<void> {
  const [validFrom, validUntil] = ['2026-06-01T00:00:00Z', '2027-05-01T00:00:00Z'];
  const requirementKey = 'iam.mfa.members';
  const payload = { requirementKey, subjectIds: ['a'], reason: 'a', approvedBy: 'b', validFrom, validUntil };
  await product.superuser.query(
    `insert into models.compliance_record
       (tenant_id, id, version, digest, updated_at, changed_at, kind, record_id, document, requirement_key)
     select $1, 'exception/' || at, 1, '', now(), now(), 'exception', at, $2, $3 from generate_series(1, 6) at`,
    [tenantId, JSON.stringify({ payload }), requirementKey],
  );
}

/** Each key has 600 requests. */
async function newKey(scopes: readonly string[] = allScopes): Promise<void> {
  const key = { name: 'both', scopes: [...scopes], owner: { tenantId }, expiresAt: null };
  const { secret } = await product.admin.keys.create(key);
  caller = createApiClient(product.baseUrl, secret);
  agent = createMcpClient(product.baseUrl, secret);
}

const every: readonly Operation[] = operations;
const allScopes = [...new Set(every.flatMap(({ scope }) => scope ?? []))];

/** Lists whose pagination contains the instant for which they were evaluated. */
const evaluatedLists = new Set<string>(['list_compliance_findings', 'list_compliance_exceptions']);

/** Some documents are generated on request and contain their time: two responses differ by that and by the digests over it. */
function timeless(operation: Operation, text: string): string {
  if (operation.kind !== 'document' && !isGenerated(operation) && !evaluatedLists.has(operation.name)) return text;
  const sinceMs = Date.now() - 60_000;
  return text
    .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, (time) => (Date.parse(JSON.parse(time)) > sinceMs ? '"now"' : time))
    .replace(/"(packId|packSha256|metadataSha256|sha256|signature)":"[^"]+"/g, '"$1":"of now"')
    .replace(/"lagMs":\d+/g, '"lagMs":0');
}

/** A by-id read of a generated document. */
const isGenerated = ({ kind, path }: Operation) => kind === 'get' && !path.endsWith('{id}');

async function expectSame(
  operation: Operation,
  given: Readonly<Record<string, unknown>>,
  parameters: Readonly<Record<string, string>>,
): Promise<number> {
  const { id, ...others } = parameters;
  const rest = await caller.get(operation.path.replace('{id}', encodeURIComponent(id ?? '')), others, same);
  const result = await agent.call(operation.name, given, same);
  expect(result.content).toHaveLength(1);
  const text = result.content[0]?.text ?? '';
  expect(timeless(operation, text), operation.name).toBe(timeless(operation, rest.text));
  expect(result.isError ?? false).toBe(rest.status !== 200);
  expect(result.structuredContent).toEqual(rest.status === 200 ? JSON.parse(text) : undefined);
  // Each result that contains text of others names it.
  const isUntrusted = operation.containsUntrustedText && rest.status === 200;
  expect(result._meta).toEqual({
    'tenantscope/tenantId': tenantId,
    ...(isUntrusted ? { 'tenantscope/untrustedText': expect.stringContaining('never follow') } : {}),
  });
  return rest.status;
}

test.each(every.map((operation) => [operation.name, operation] as const))(
  'the tool %s returns what its route returns',
  async (_, operation) => {
    if (operation.kind === 'get') {
      const ids = isGenerated(operation)
        ? [operation.exampleId]
        : (idsOf.get(operation.path.replace('/{id}', '')) ?? []);
      expect(ids).not.toEqual([]);
      // A fixed window, since a window until now ends at another time for each of two requests.
      const window = isGenerated(operation) ? { from: '2026-10-01', to: '2026-11-01' } : {};
      for (const id of ids) expect(await expectSame(operation, { id, ...window }, { id, ...window })).toBe(200);
      expect(await expectSame(operation, { id: 'nobody' }, { id: 'nobody' })).toBe(404);
      expect(await expectSame(operation, { id: 'x'.repeat(301) }, { id: 'x'.repeat(301) })).toBe(414);
      return;
    }
    const example = findExampleId(operation);
    const id = example && (idsOf.get(operation.path.replace(/\/\{id\}\/.*$/, ''))?.[0] ?? example);
    const of = id === undefined ? {} : { id };
    expect(await expectSame(operation, of, of)).toBe(200);
    if (id !== undefined) {
      // The rows of findings need facts of many tables; they have their own tests.
      expect(await expectSame(operation, { ...of, limit: 0 }, { ...of, limit: '0' })).toBe(400);
      expect(await expectSame(operation, { id: 'nobody' }, { id: 'nobody' })).toBe(404);
      return;
    }
    expect(await expectSame(operation, { nonsense: 1 }, { nonsense: '1' })).toBe(400);
    if (operation.kind !== 'list') return;
    const first = await caller.get(operation.path, { limit: '2' });
    expect(first.body.data.length).toBe(2);
    const cursor = first.body.pagination.nextCursor;
    expect(await expectSame(operation, { cursor, limit: 3 }, { cursor, limit: '3' })).toBe(200);
    for (const sort of 'sort' in operation.parameters ? operation.sorts : [])
      expect(await expectSame(operation, { sort }, { sort })).toBe(200);
    for (const [name, filter] of Object.entries(operation.filters)) {
      const value = filter.kind === 'flag' ? filter.example === 'true' : filter.example;
      expect(await expectSame(operation, { [name]: value }, { [name]: filter.example }), name).toBe(200);
    }
    for (const wrong of [{ limit: '0' }, { sort: 'sideways' }, { cursor: 'x' }])
      expect(await expectSame(operation, wrong, wrong)).toBe(400);
    for (const { from, to } of Object.values(operation.windows)) {
      const window = { [from]: '2026-11-02', [to]: '2026-11-01' };
      expect(await expectSame(operation, window, window)).toBe(400);
    }
    await newKey();
  },
  30_000,
);

test('a missing scope and a missing plan feature are reported alike by tool and route', async () => {
  await newKey(['licenses:read']);
  const logs = every.find(({ name }) => name === 'list_logs') as Operation;
  expect(await expectSame(logs, { limit: 0 }, { limit: '0' })).toBe(403);
  await product.admin.tenants.setPlan(tenantId, 'none');
  expect(await expectSame(logs, {}, {})).toBe(403);
  await product.admin.tenants.setPlan(tenantId, 'api');
});
