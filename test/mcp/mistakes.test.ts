import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlledInstallation, startControlledInstallation } from '../guards/controlled-installation.ts';
import { inspectList, lists } from '../guards/list-mapping.ts';
import { createRowWriter } from '../guards/row-writer.ts';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { callUntilAccepted } from './call-correction.ts';
import { createMcpClient, type McpClient } from './mcp-client.ts';

let product: ControlledInstallation;
let caller: ApiClient;
let agent: McpClient;

beforeAll(async () => {
  product = await startControlledInstallation();
  const tenantId = await product.createTenant();
  for (const list of lists.filter(({ name }) => name === 'list_logs' || name === 'list_detections')) {
    const maker = await createRowWriter(product.superuser, await inspectList(product, product.reader(tenantId), list));
    const rows = Array.from({ length: 12 }, (_, at) => {
      const times = Object.keys(maker.mapping.axes).map((axis) => [axis, hourAgo() - 10_000 + at] as const);
      return { id: maker.id(at), times: Object.fromEntries(times) };
    });
    await maker.write(tenantId, rows);
  }
  const scopes = ['logs:read', 'detections:read'];
  const key = { name: 'agent', scopes, owner: { tenantId }, expiresAt: null };
  const { secret } = await product.admin.keys.create(key);
  caller = createApiClient(product.baseUrl, secret);
  agent = createMcpClient(product.baseUrl, secret);
});
afterAll(() => product[Symbol.asyncDispose]());

const hourAgo = () => product.throughMs();
const yesterday = () => new Date(hourAgo() - 86_400_000).toISOString();
const through = () => new Date(hourAgo()).toISOString();

type Given = Readonly<Record<string, unknown>>;

/** What a model sends, what it means, and whether it is accepted at once. */
const mistakes: readonly (readonly [
  string,
  () => Given,
  () => Readonly<Record<string, string>>,
  'taken' | 'taught',
])[] = [
  ['a number as text', () => ({ limit: '3' }), () => ({ limit: '3' }), 'taken'],
  ['null for optional arguments', () => ({ limit: 3, severity: null, cursor: null }), () => ({ limit: '3' }), 'taken'],
  ['an empty cursor', () => ({ limit: 3, cursor: '' }), () => ({ limit: '3' }), 'taken'],
  ['an array for a list', () => ({ severity: ['high', 'critical'] }), () => ({ severity: 'high,critical' }), 'taken'],
  ['spaces after commas', () => ({ severity: 'high, critical' }), () => ({ severity: 'high,critical' }), 'taken'],
  [
    'a day for a time',
    () => ({ discoveredFrom: yesterday().slice(0, 10) }),
    () => ({ discoveredFrom: `${yesterday().slice(0, 10)}T00:00:00Z` }),
    'taken',
  ],
  [
    'a time without a zone',
    () => ({ discoveredFrom: yesterday().slice(0, 19) }),
    () => ({ discoveredFrom: `${yesterday().slice(0, 19)}Z` }),
    'taken',
  ],
  [
    'a number for a time',
    () => ({ discoveredFrom: Math.floor(Date.parse(yesterday()) / 1000) }),
    () => ({ discoveredFrom: `${yesterday().slice(0, 19)}Z` }),
    'taken',
  ],
  ['a limit above the maximum', () => ({ limit: 5_000 }), () => ({ limit: '200' }), 'taught'],
  ['a limit of zero', () => ({ limit: 0 }), () => ({ limit: '200' }), 'taught'],
  ['a value in another case', () => ({ severity: 'HIGH' }), () => ({ severity: 'high' }), 'taught'],
  ['an invented value', () => ({ severity: 'urgent' }), () => ({ severity: 'high,critical' }), 'taught'],
  [
    'a word for a time',
    () => ({ discoveredFrom: 'yesterday' }),
    () => ({ discoveredFrom: '2026-11-01T00:00:00Z' }),
    'taught',
  ],
  [
    'a window that ends before it starts',
    () => ({ discoveredFrom: through(), discoveredTo: yesterday() }),
    () => ({ discoveredFrom: yesterday(), discoveredTo: through() }),
    'taught',
  ],
  ['the arguments of another tool', () => ({ from: yesterday() }), () => ({ discoveredFrom: yesterday() }), 'taught'],
  [
    'names with underscores',
    () => ({ discovered_from: yesterday(), actor_type: 'user' }),
    () => ({ discoveredFrom: yesterday(), actorType: 'user' }),
    'taught',
  ],
  ['an invented argument', () => ({ query: 'downloads', limit: 3 }), () => ({ limit: '3' }), 'taught'],
  [
    'a sort order without its field',
    () => ({ sort: 'asc', limit: 3 }),
    () => ({ sort: 'discoveredAtAsc', limit: '3' }),
    'taught',
  ],
  ['yes for true', () => ({ isManagedDevice: 'yes' }), () => ({ isManagedDevice: 'false' }), 'taught'],
  ['an invented cursor', () => ({ cursor: 'eyJwYWdlIjoyfQ', limit: 3 }), () => ({ limit: '3' }), 'taught'],
];

test.each(mistakes)('a client recovers from %s by the error message alone', async (_, given, meant, how) => {
  const { result, refused } = await callUntilAccepted(agent, 'list_logs', given());
  expect(refused > 0 ? 'taught' : 'taken').toBe(how);
  const rest = await caller.get('/logs', meant());
  expect(rest.status).toBe(200);
  expect(result.structuredContent.data).toEqual(rest.body.data);
});

test('a client recovers from a missing, misnamed or invented id by the list', async () => {
  const [first] = (await caller.get('/detections', { limit: '1' })).body.data;
  for (const given of [{}, { detectionId: first.id }, { id: 'det_0000' }, { id: null }]) {
    const { result } = await callUntilAccepted(agent, 'get_detection', given);
    expect(result.structuredContent.data.id).toBe(first.id);
  }
});

test('error results stay short', async () => {
  for (const [, given] of mistakes) {
    const { isError, content } = await agent.call('list_logs', given());
    if (isError) expect(content[0]?.text.length).toBeLessThan(1_000);
  }
});
