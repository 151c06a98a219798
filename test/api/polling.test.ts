import { findExampleId, operations, scopes, topics } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { detectionState, recordMessage } from '../installation/feed-records.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { createMcpClient } from '../mcp/mcp-client.ts';

let installation: Installation;
let api: Awaited<ReturnType<Installation['startApi']>>;

beforeAll(async () => {
  installation = await startInstallation();
  const ingest = await installation.startIngest();
  await ingest.ready();
  api = await installation.startApi();
});
afterAll(() => installation?.[Symbol.asyncDispose]());

const send = (tenantId: string, ...numbers: number[]) =>
  installation.publisher.send(
    installation.activityTopic,
    numbers.map((number) => activityMessage(tenantId, activityRecord(number))),
  );

async function get(
  secret: string,
  path: string,
  headers: Record<string, string> = {},
  { baseUrl, signal }: { baseUrl?: string; signal?: AbortSignal } = {},
) {
  const startedMs = performance.now();
  const response = await fetch(`${baseUrl ?? api.baseUrl}${path}`, {
    headers: { Authorization: `Bearer ${secret}`, ...headers },
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, ms: performance.now() - startedMs };
}

const wait = (seconds: number) => ({ Prefer: `wait=${seconds}` });
const remaining = ({ headers }: { headers: Headers }) => Number(headers.get('x-ratelimit-remaining'));
type Body = { data: { id: string; action: string }[]; pagination: { resumeCursor: string; hasMore: boolean } };
const parse = ({ text }: { text: string }) => JSON.parse(text) as Body;

/** A tenant with a key, and the path that continues after its rows. */
async function startPolling(from = api) {
  const { id, secret } = await installation.createTenant();
  const first = await get(secret, '/logs?sort=discoveredAtAsc', {}, { baseUrl: from.baseUrl });
  return { id, secret, path: `/logs?cursor=${parse(first).pagination.resumeCursor}` };
}

test('a request at the end of the log gets its response as soon as a row is settled, and is counted once', async () => {
  const { id, secret, path } = await startPolling();
  const waiting = get(secret, path, wait(20));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const sentMs = performance.now();
  await send(id, 1);
  const response = await waiting;
  expect(performance.now() - sentMs).toBeLessThan(10_000);
  expect([response.status, response.headers.get('preference-applied'), remaining(response)]).toEqual([
    200,
    'wait=20',
    598,
  ]);
  expect(response.headers.get('vary')).toBe('Accept, Accept-Encoding, Prefer');
  expect(parse(response).data).toHaveLength(1);
  // Rows that are there are returned at once, with whatever Prefer says.
  const again = await get(secret, path, wait(20));
  expect(again.ms).toBeLessThan(5_000);
  expect([parse(again).data, remaining(again)]).toEqual([parse(response).data, 597]);
});

test('rows of other tenants, and rows that do not match its filters, do not end the wait of a request; its time does', async () => {
  const { id, secret } = await startPolling();
  const other = await startPolling();
  await send(other.id, 1);
  const path = '/logs?sort=discoveredAtAsc&action=FileModified';
  const waiting = get(secret, path, wait(3));
  await send(id, 3);
  const response = await waiting;
  expect(response.ms).toBeGreaterThan(2_900);
  expect([response.status, parse(response).data, response.headers.get('preference-applied')]).toEqual([
    200,
    [],
    'wait=3',
  ]);
});

test('the lists that wait are those whose description has the header', async () => {
  const tenant = await installation.createTenant();
  const createKey = async () => {
    const key = { name: 'poller', scopes: [...scopes], owner: { tenantId: tenant.id }, expiresAt: null };
    return (await installation.admin.keys.create(key)).secret;
  };
  const topic = `${installation.environment.TENANTSCOPE_TOPIC_PREFIX}.${topics.detection.suffix}`;
  await installation.publisher.publish(topic, [recordMessage('detection.upserted', detectionState(tenant.id, 1))]);
  const reader = await createKey();
  const detection = '/detections/detection-1';
  await eventually('the detection', 30_000, async () => (await get(reader, detection)).status === 200);
  const { paths } = JSON.parse((await get(reader, '/openapi.json')).text) as { paths: Record<string, object> };

  const lists = operations.filter((operation) => operation.kind === 'list');
  const waits = async (list: (typeof lists)[number]) => {
    const secret = await createKey();
    const path = list.path.replace('/detections/{id}', detection).replace('{id}', findExampleId(list) ?? '');
    const applied: boolean[] = [];
    for (const sort of list.sorts.filter((one) => one.endsWith('Asc'))) {
      const query = 'sort' in list.parameters ? `?sort=${sort}` : '';
      applied.push((await get(secret, path + query, wait(1))).headers.has('preference-applied'));
    }
    return applied.includes(true);
  };
  const waiting = await Promise.all(lists.map(async (list) => ((await waits(list)) ? [list.name] : [])));
  for (const component of ['parameters/Prefer', 'headers/Preference-Applied']) {
    const declared = lists.filter(({ path }) => JSON.stringify(paths[path]).includes(`"#/components/${component}"`));
    expect(
      declared.map(({ name }) => name),
      component,
    ).toEqual(waiting.flat());
  }
  expect(waiting.flat()).toEqual(expect.arrayContaining(['list_logs', 'list_detection_logs', 'list_users']));
});

test('a second request of the key for the same feed gets 429, one of another key waits', async () => {
  const { id, secret, path } = await startPolling();
  const key = { name: 'second', scopes: ['logs:read'], owner: { tenantId: id }, expiresAt: null };
  const { secret: second } = await installation.admin.keys.create(key);
  const waiting = [get(secret, path, wait(20)), get(second, path, wait(20))];
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const refused = await get(secret, path, wait(20));
  expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([429, 'RATE_LIMITED']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(20);
  expect((await get(secret, path)).status).toBe(200);
  await send(id, 1);
  for (const response of await Promise.all(waiting)) expect(parse(response).data).toHaveLength(1);
});

test('a key that is revoked while its request waits gets no rows', async () => {
  const { id, path } = await startPolling();
  const owned = { name: 'leaked', scopes: ['logs:read'], owner: { tenantId: id }, expiresAt: null };
  const key = await installation.admin.keys.create(owned);
  const waiting = get(key.secret, path, wait(20));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await installation.admin.keys.revoke(key.id);
  await send(id, 1);
  const response = await waiting;
  expect([response.status, JSON.parse(response.text).error.code]).toEqual([401, 'UNAUTHENTICATED']);
});

test('the next request of a client that disconnected may wait', async () => {
  const { id, secret, path } = await startPolling();
  const client = new AbortController();
  const abandoned = get(secret, path, wait(20), { signal: client.signal });
  await new Promise((resolve) => setTimeout(resolve, 500));
  client.abort();
  await expect(abandoned).rejects.toThrow();
  await eventually('a request may wait again', 5_000, async () => (await get(secret, path, wait(1))).status === 200);
  const waiting = get(secret, path, wait(20));
  await send(id, 1);
  expect(parse(await waiting).data).toHaveLength(1);
});

test('requests that wait get their response at once when the process stops', async () => {
  await using stopped = await installation.startApi({ TENANTSCOPE_DRAIN_MS: '5000' });
  const { secret, path } = await startPolling(stopped);
  const waiting = get(secret, path, wait(30), { baseUrl: stopped.baseUrl });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  stopped.kill('SIGTERM');
  const response = await waiting;
  expect(response.ms).toBeLessThan(6_000);
  expect([response.status, parse(response).data]).toEqual([200, []]);
});

test('a process that serves requests for longer than 20 s after SIGTERM ends in order', {
  timeout: 90_000,
}, async () => {
  await using stopped = await installation.startApi({ TENANTSCOPE_DRAIN_MS: '21000' });
  stopped.kill('SIGTERM');
  expect(await stopped.gone).toBe(0);
  expect(stopped.output()).not.toContain('shutdown deadline exceeded');
});

test('a list as NDJSON has the rows and the pagination of the list, and errors are JSON', async () => {
  const { id, secret } = await startPolling();
  await send(id, 1, 2, 3);
  await eventually('three rows', 30_000, async () => parse(await get(secret, '/logs')).data.length === 3);
  const path = '/logs?sort=discoveredAtAsc&limit=2';
  const accept = { Accept: 'application/x-ndjson' };
  const [json, ndjson] = [await get(secret, path), await get(secret, path, accept)];
  expect(ndjson.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  const lines = ndjson.text.split('\n');
  expect(lines.slice(2)).toEqual([expect.stringMatching(/^\{"pagination":\{"nextCursor":"/), '']);
  expect(json.text.startsWith(`{"data":[${lines.slice(0, 2).join()}],"pagination":`)).toBe(true);
  expect(ndjson.headers.get('link')).toContain('rel="next"');
  const refused = await get(secret, '/logs?limit=0', accept);
  expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8']);
  const feeds = await get(secret, '/feeds', accept);
  expect(feeds.text.split('\n')[0]).toMatch(/^\{"feed":"logs"/);
});

test('an unmodified record is 304 and costs the key no request, on every instance', async () => {
  const { id, secret } = await startPolling();
  await send(id, 1);
  await eventually('a row', 30_000, async () => parse(await get(secret, '/logs')).data.length === 1);
  const other = await installation.startApi();
  const path = `/logs/${parse(await get(secret, '/logs')).data[0]?.id}`;
  const first = await get(secret, path);
  const named = { 'If-None-Match': first.headers.get('etag') ?? '' };
  for (const baseUrl of [api.baseUrl, other.baseUrl, api.baseUrl]) {
    const again = await get(secret, path, named, { baseUrl });
    expect([again.status, again.text, remaining(again)]).toEqual([304, '', remaining(first)]);
  }
  expect(remaining(await get(secret, path))).toBe(remaining(first) - 1);
});

test('an MCP response is immediate with any Prefer header, and completeness has tools', async () => {
  const { secret } = await startPolling();
  const client = createMcpClient(api.baseUrl, secret);
  const startedMs = performance.now();
  const { structuredContent } = await client.call('list_logs', { sort: 'discoveredAtAsc' }, wait(20));
  expect(performance.now() - startedMs).toBeLessThan(10_000);
  expect(structuredContent).toMatchObject({ data: [], pagination: { hasMore: false } });
  expect((await client.call('list_log_receipts', {})).structuredContent).toMatchObject({ data: [] });
  expect((await client.call('list_feeds', {})).structuredContent).toMatchObject({ data: [{ feed: 'logs' }] });
});
