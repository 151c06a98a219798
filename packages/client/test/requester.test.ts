// @module-tag exhaustive
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ApiError } from '../src/api-error.ts';
import { createRequester, type Failure, RequestTimeout } from '../src/requester.ts';
import { createClient } from '../src/typed-client.ts';

type Responder = (response: ServerResponse, request: IncomingMessage) => void;

let url: string;
let responders: Responder[] = [];
let received: IncomingMessage[] = [];
let failures: Failure[] = [];
const server = createServer((request, response) => {
  received.push(request);
  (responders.shift() ?? json(200, { data: [] }))(response, request);
});

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  responders = [];
  received = [];
  failures = [];
});

const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Responder =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const error = (code: string) => ({ error: { code, message: `It is ${code}.`, requestId: 'r-1' } });

const requester = (timeoutMs?: number) =>
  createRequester({
    url: `${url}/`,
    key: 'tscope_live_x',
    userAgent: 'test/1',
    onRetry: (failure) => failures.push(failure),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });

test('a request has the key, the tenant, the user agent and its parameters', async () => {
  await requester()('/logs', { parameters: { cursor: 'a+/=', limit: '1' }, tenantId: 't-1' });
  expect(received[0]?.url).toBe('/api/v1/logs?cursor=a%2B%2F%3D&limit=1');
  expect(received[0]?.headers).toMatchObject({
    authorization: 'Bearer tscope_live_x',
    'x-tenant-id': 't-1',
    'user-agent': 'test/1',
  });
});

test('several values are one text, and a parameter for each where one contains a comma', async () => {
  const client = createClient({ url, key: 'tscope_live_x', userAgent: 'test/1' });
  responders = [json(200, { data: [], pagination: {} }), json(200, { data: [], pagination: {} })];
  await client.call('listLogs', { severity: ['high', 'critical'], clientApp: ['Outlook, web', 'Word'] });
  await client.call('listLogs', { clientApp: ['Outlook, web'], isManagedDevice: true });
  expect(received.map((request) => request.url)).toEqual([
    '/api/v1/logs?severity=high%2Ccritical&clientApp=Outlook%2C+web&clientApp=Word',
    '/api/v1/logs?clientApp=Outlook%2C+web&isManagedDevice=true',
  ]);
});

test('rows of a request with a view have the type of its schema', async () => {
  const client = createClient({ url, key: 'tscope_live_x', userAgent: 'test/1' });
  responders = [
    json(200, { data: [{ class_uid: 3002 }], pagination: {} }),
    json(200, { data: [{ '@timestamp': '2026-11-01T00:00:00.000Z' }], pagination: {} }),
  ];
  const events = await client.call('listLogs', { view: 'ocsf' });
  expect(events.rows.map(({ class_uid }) => class_uid)).toEqual([3002]);
  const documents = await client.call('listSecurityAlerts', { view: 'ecs', limit: 1 });
  expect(documents.rows.map((document) => document['@timestamp'])).toEqual(['2026-11-01T00:00:00.000Z']);
  expect(received.map((request) => request.url)).toEqual([
    '/api/v1/logs?view=ocsf',
    '/api/v1/security-alerts?view=ecs&limit=1',
  ]);
});

test.for<[string, Responder, RegExp]>([
  [
    'a busy server',
    json(503, error('STORE_UNAVAILABLE'), { 'retry-after': '0' }),
    /^status 503: It is STORE_UNAVAILABLE/,
  ],
  ['a throttled key', json(429, error('RATE_LIMITED'), { 'retry-after': '0' }), /^status 429/],
  ['the page of a proxy', (response) => response.writeHead(502, { 'retry-after': '0' }).end('<html>'), /^status 502$/],
  [
    'JSON that ends early',
    (response) => response.writeHead(200, { 'retry-after': '0' }).end('{"data":['),
    /not a complete JSON object/,
  ],
  ['a list instead of an object', json(200, [1], { 'retry-after': '0' }), /not a complete JSON object/],
])('the request is repeated after %s', async ([, responder, reason]) => {
  responders = [responder, json(200, { data: [1] })];
  expect(await requester()('/logs')).toEqual({ data: [1] });
  expect(failures).toEqual([{ reason: expect.stringMatching(reason), pauseMs: 0 }]);
});

test('the request is repeated after a truncated response, and after one that hangs', async () => {
  const truncated: Responder = (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"data":');
    setTimeout(() => response.destroy(), 20);
  };
  responders = [truncated, () => {}, json(200, { data: [1] })];
  expect(await requester(300)('/logs')).toEqual({ data: [1] });
  expect(failures).toHaveLength(2);
  expect(failures[1]?.reason).toBe('no complete response within 0.3 s');
  expect(failures[0]?.pauseMs).toBeGreaterThanOrEqual(500);
  expect(failures[1]?.pauseMs).toBeGreaterThanOrEqual(1_000);
});

test.for([400, 401, 403, 404, 405])('status %i is not repeated', async (status) => {
  responders = [json(status, error('NO'))];
  const failure = await requester()('/logs').catch((thrown: unknown) => thrown);
  expect(failure).toBeInstanceOf(ApiError);
  expect(failure).toMatchObject({ status, code: 'NO', message: 'It is NO.', requestId: 'r-1' });
  expect(received).toHaveLength(1);
});

test('an error lists the refused parameters with the values that they accept', async () => {
  const details = [
    { parameter: 'severity', reason: 'is unknown', allowed: ['low', 'high'] },
    { parameter: 'limit' },
    1,
  ];
  responders = [json(400, { error: { ...error('NO').error, details } })];
  expect(await requester()('/logs').catch((thrown: unknown) => thrown)).toMatchObject({
    details: [
      { parameter: 'severity', reason: 'is unknown', allowed: ['low', 'high'] },
      { parameter: 'limit', allowed: [] },
    ],
  });
});

test.for([
  ['', 'key', 'url'],
  ['localhost:8080/api/v1', 'key', 'url'],
  ['api.example/api/v1', 'key', 'url'],
  ['http://me:secret@api.example/api/v1', 'key', 'url'],
  ['http://api.example/api/v1', '', 'key'],
  ['http://api.example/api/v1', 'two keys', 'key'],
])(
  'the url %j with the key %j is refused before the first request, which would be repeated without end',
  ([given, key, named]) => {
    const create = () => createRequester({ url: given ?? '', key: key ?? '', userAgent: 'test' });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(new RegExp(`^${named} must `));
  },
);

test('the key is not sent to the target of a redirect', async () => {
  responders = [(response) => response.writeHead(302, { location: `${url}/elsewhere` }).end(), json(200, { data: [] })];
  await requester()('/logs');
  expect(received.map((request) => request.url)).toEqual(['/api/v1/logs', '/api/v1/logs']);
});

test('attempts end after the given time, and no pause goes beyond it', async () => {
  responders = [json(503, error('STORE_UNAVAILABLE'), { 'retry-after': '3600' })];
  await expect(requester()('/logs', { retryForMs: 60_000 })).rejects.toThrow(RequestTimeout);
  expect(received).toHaveLength(1);
});

test('an abort ends a pause and a request that hangs', async () => {
  responders = [json(503, error('STORE_UNAVAILABLE'), { 'retry-after': '3600' })];
  const pausing = new AbortController();
  const paused = requester()('/logs', { signal: pausing.signal });
  await expect.poll(() => failures.length).toBe(1);
  pausing.abort();
  await expect(paused).rejects.toThrow('aborted');

  responders = [() => {}];
  const hanging = new AbortController();
  const hung = requester()('/logs', { signal: hanging.signal });
  await expect.poll(() => received.length).toBe(2);
  hanging.abort();
  await expect(hung).rejects.toThrow('aborted');
});

test('a rate limit is waited for longer than other failures, if a time of its own is given', async () => {
  const throttled = json(429, error('RATE_LIMITED'), { 'retry-after': '1' });
  responders = [throttled];
  expect(await requester()('/logs', { retryForMs: 0, throttledForMs: 10_000 })).toEqual({ data: [] });
  responders = [json(503, error('STORE_UNAVAILABLE'), { 'retry-after': '1' })];
  await expect(requester()('/logs', { retryForMs: 0, throttledForMs: 10_000 })).rejects.toThrow(RequestTimeout);
  responders = [throttled];
  await expect(requester()('/logs', { retryForMs: 0 })).rejects.toThrow(RequestTimeout);
});
