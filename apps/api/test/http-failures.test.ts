import type { AddressInfo } from 'node:net';
import { operations } from '@tenantscope/contract';
import { createLog, createMetrics } from '@tenantscope/runtime';
import { makeSecret, StoreUnavailable } from '@tenantscope/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../src/app.ts';
import { countFailedLogins } from '../src/failed-logins.ts';
import type { Handlers } from '../src/invoke.ts';
import { observe } from '../src/observations.ts';
import { createRateLimit } from '../src/rate-limit.ts';
import { type RawAnswer, type RawOptions, sendRaw } from './raw-http.ts';

/** What is refused here is refused before any store is asked: the directory is out of reach, and nothing else may be touched. */
const unreachable = async (): Promise<never> => {
  throw new StoreUnavailable('no directory in this test');
};
const shortPatience = { headersMs: 300, requestMs: 600, keepAliveMs: 5_000, checkMs: 50 };
const rateLimit = createRateLimit('redis://127.0.0.1:1');
const { fastify } = buildApp(
  {
    publicUrl: 'http://127.0.0.1/api/v1',
    trustedProxies: [],
    toolOrigins: [],
    evidenceKeys: { keys: [] },
    log: createLog({ name: 'api', level: 'silent' }),
    keys: { lookUp: unreachable, addUsage: unreachable, ping: unreachable, [Symbol.asyncDispose]: async () => {} },
    handlers: Object.fromEntries(operations.map(({ name }) => [name, unreachable])) as unknown as Handlers,
    rateLimit,
    failedLogins: countFailedLogins(),
    usage: { note: () => {}, count: () => {}, [Symbol.asyncDispose]: async () => {} },
    observations: observe(createMetrics()),
  },
  shortPatience,
);
let port = 0;

beforeAll(async () => {
  await fastify.listen({ host: '127.0.0.1', port: 0 });
  port = (fastify.server.address() as AddressInfo).port;
});

afterAll(async () => {
  await fastify.close();
  await rateLimit[Symbol.asyncDispose]();
});

const send = (data: string | Buffer, more: Partial<RawOptions> = {}) => sendRaw(data, { port, ...more });

function expectEnvelope(answer: RawAnswer | undefined, status: number, code: string): void {
  expect(answer).toBeDefined();
  const { headers, body } = answer as RawAnswer;
  expect({ status: answer?.status, body: JSON.parse(body) }).toEqual({
    status,
    body: {
      error: {
        code,
        message: expect.stringMatching(/^[A-Z].{20,}\.$/),
        requestId: headers['x-request-id'],
        ...(JSON.parse(body).error.details ? { details: expect.any(Array) } : {}),
      },
    },
  });
  expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['cache-control']).toBe('no-store');
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
}

const get = (target: string, headers = '') => `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;

test.each<[string, string | Buffer, number, string, Partial<RawOptions>?]>([
  ['a torn request line', 'GET /api/v1/ping\r\n\r\n', 400, 'BAD_REQUEST'],
  ['a request line cut off', 'GET /api/v1/pi', 400, 'BAD_REQUEST', { halfClose: true }],
  ['noise', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]), 400, 'BAD_REQUEST'],
  ['a wrong version', 'GET /api/v1/ping HTTP/9.9\r\nHost: a\r\n\r\n', 400, 'BAD_REQUEST'],
  ['a header without colon', get('/api/v1/ping', 'nonsense\r\n'), 400, 'BAD_REQUEST'],
  ['a header with NUL', get('/api/v1/ping', 'X-A: a\0b\r\n'), 400, 'BAD_REQUEST'],
  ['a folded header', get('/api/v1/ping', 'X-A: a\r\n b\r\n'), 400, 'BAD_REQUEST'],
  ['no Host', 'GET /api/v1/ping HTTP/1.1\r\n\r\n', 400, 'BAD_REQUEST'],
  ['two Hosts', get('/api/v1/ping', 'Host: b\r\n'), 400, 'BAD_REQUEST'],
  ['bad chunking', `${get('/api/v1/ping', 'Transfer-Encoding: chunked\r\n')}zz\r\n`, 400, 'BAD_REQUEST'],
  [
    'length and chunking',
    get('/api/v1/ping', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'),
    400,
    'BAD_REQUEST',
  ],
  ['two lengths', get('/api/v1/ping', 'Content-Length: 1\r\nContent-Length: 2\r\n'), 400, 'BAD_REQUEST'],
  ['a path badly encoded', get('/api/v1/%zz'), 400, 'BAD_REQUEST'],
  ['a path in no UTF-8', get('/api/v1/%ff'), 400, 'BAD_REQUEST'],
  ['large headers', get('/api/v1/ping', `X-A: ${'a'.repeat(40_000)}\r\n`), 431, 'HEADERS_TOO_LARGE'],
  ['endless headers', get('/api/v1/ping', `X-A: ${'a'.repeat(400_000)}\r\n`), 431, 'HEADERS_TOO_LARGE'],
  ['many headers', get('/api/v1/ping', 'X-A: a\r\n'.repeat(9_000)), 431, 'HEADERS_TOO_LARGE'],
  ['a long address', get(`/api/v1/logs?action=${'a'.repeat(100_000)}`), 414, 'URI_TOO_LONG'],
  ['CONNECT', 'CONNECT example.test:443 HTTP/1.1\r\nHost: a\r\n\r\n', 501, 'NOT_IMPLEMENTED'],
  ['another expectation', get('/api/v1/ping', 'Expect: tea\r\n'), 417, 'EXPECTATION_FAILED'],
  ['a method nobody knows', 'BREW /api/v1/ping HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
  ['TRACE', 'TRACE /api/v1/ping HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
  ['OPTIONS', 'OPTIONS /api/v1/ping HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
  ['PROPFIND', 'PROPFIND /api/v1/logs HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
  [
    'a POST of text',
    'POST /api/v1/logs HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\nx',
    405,
    'METHOD_NOT_ALLOWED',
  ],
  [
    'a large POST',
    `POST /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n${'x'.repeat(900_000)}`,
    405,
    'METHOD_NOT_ALLOWED',
  ],
  [
    'a large body',
    `${get('/api/v1/ping', 'Content-Length: 900000\r\n')}${'x'.repeat(900_000)}`,
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  ['an unknown route', get('/api/v1/nonsense'), 404, 'NOT_FOUND'],
  ['a retired route', get('/api/v1/monitoring-alerts?severity=high'), 404, 'NOT_FOUND'],
  [
    'a POST to a retired route',
    'POST /api/v1/monitoring-alerts HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n',
    404,
    'NOT_FOUND',
  ],
  ['a route in other letters', get('/api/v1/Logs'), 404, 'NOT_FOUND'],
  ['a POST to nowhere', 'POST /nonsense HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx', 404, 'NOT_FOUND'],
  ['a well-known place', get('/.well-known/oauth-protected-resource'), 404, 'NOT_FOUND'],
  ['the root', get('/'), 404, 'NOT_FOUND'],
  ['everything at once', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n', 404, 'NOT_FOUND'],
  ['no key', get('/api/v1/ping'), 401, 'UNAUTHENTICATED'],
  [
    'a key without checksum',
    get('/api/v1/ping', `Authorization: Bearer tscope_live_${'a'.repeat(49)}\r\n`),
    401,
    'UNAUTHENTICATED',
  ],
  [
    'two Authorization lines',
    get('/api/v1/ping', `Authorization: Bearer ${makeSecret()}\r\n`.repeat(2)),
    401,
    'UNAUTHENTICATED',
  ],
  ['no key and unknown parameters', get('/api/v1/logs?nonsense=1'), 401, 'UNAUTHENTICATED'],
  ['no key and another representation', get('/api/v1/ping', 'Accept: text/html\r\n'), 401, 'UNAUTHENTICATED'],
  [
    'a key in the address',
    get(`/api/v1/ping?x=${makeSecret()}`, `X-API-Key: ${makeSecret()}\r\n`),
    401,
    'UNAUTHENTICATED',
  ],
  [
    'a key hidden in the address',
    get(`/api/v1/ping?x=${makeSecret().replace('tscope', '%74scope')}`),
    401,
    'UNAUTHENTICATED',
  ],
  [
    'a key while the directory is out of reach',
    get('/api/v1/ping', `X-API-Key: ${makeSecret()}\r\n`),
    503,
    'SERVICE_UNAVAILABLE',
  ],
])('%s', async (_, data, status, code, more) => {
  const answers = await send(data, more);
  expectEnvelope(answers[0], status, code);
});

test('405 names the methods there are', async () => {
  const [answer] = await send('DELETE /api/v1/ping HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(answer?.headers.allow).toBe('GET, HEAD');
});

test('HEAD is answered as GET is, without the body', async () => {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/openapi.json`, { method: 'HEAD' });
  expect({ status: answer.status, body: await answer.text() }).toEqual({ status: 200, body: '' });
});

test('a request that never ends is given up with 408', async () => {
  const answers = await Promise.all([
    send('GET /api/v1/ping HTTP/1.1\r\nHost: a\r\n'),
    send('GET /api/v1/pi'),
    send('GET /api/v1/ping HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nx', { silenceMs: 1_500 }),
  ]);
  for (const [first] of answers.slice(0, 2)) expectEnvelope(first, 408, 'REQUEST_TIMEOUT');
  // The third is answered at once, and its connection closed: nothing waits for the rest of a body nobody reads.
  expectEnvelope(answers[2]?.[0], 401, 'UNAUTHENTICATED');
  expect(answers[2]?.[0]?.headers.connection).toBe('close');
});

test('the absolute form of an address is understood', async () => {
  const [answer] = await send('GET http://a/api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(answer?.status).toBe(200);
});

test('the description is served without a key', async () => {
  const [answer] = await send(get('/api/v1/openapi.json'));
  expect(answer?.status).toBe(200);
  expect(JSON.parse(answer?.body ?? '')).toMatchObject({ openapi: '3.1.0' });
});

test('a retired route names what answers in its place', async () => {
  const [answer] = await send(get('/api/v1/monitoring-alerts'));
  expect(JSON.parse(answer?.body ?? '')).toMatchObject({
    error: { message: expect.stringContaining('/policy-scans') },
  });
});

test('a request id that is well-formed is taken over, another is replaced', async () => {
  for (const id of ['a', 'A1.b_c-d', 'x'.repeat(64)])
    expect((await send(get('/x', `X-Request-Id: ${id}\r\n`)))[0]?.headers['x-request-id']).toBe(id);
  for (const id of ['', 'x'.repeat(65), 'a b', 'a/b', 'é', '<x>'])
    expect((await send(get('/x', `X-Request-Id: ${id}\r\n`)))[0]?.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
});

test('pipelined requests are answered in their order', async () => {
  const answers = await send(get('/api/v1/openapi.json') + get('/x', 'X-Request-Id: second\r\n') + get('/api/v1/ping'));
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 401]);
  expect(answers[1]?.headers['x-request-id']).toBe('second');
});

test('all refusals of a key say the same', async () => {
  const said = await Promise.all(
    [
      '',
      'Authorization: Bearer\r\n',
      'Authorization: Basic eA==\r\n',
      'X-API-Key: nonsense\r\n',
      `X-API-Key: ${makeSecret()}A\r\n`,
      `Authorization: Bearer ${makeSecret()}\r\nX-API-Key: ${makeSecret()}\r\n`,
    ].map(async (headers) => (await send(get('/api/v1/ping', `X-Request-Id: same\r\n${headers}`)))[0]),
  );
  expect(new Set(said.map((answer) => answer?.body)).size).toBe(1);
  for (const answer of said) expect(answer?.headers['www-authenticate']).toBe('Bearer realm="tenantscope"');
});
