// @module-tag exhaustive
import { makeSecret } from '@tenantscope/store/api-key';
import { StoreUnavailable } from '@tenantscope/store/connection';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RawOptions, type RawResponse, sendRaw } from './raw-http.ts';
import { shortTimeouts, startTestApp } from './test-app.ts';

/** The requests are refused before any store is used: the directory is unreachable, and no other store exists. */
const unreachable = async (): Promise<never> => {
  throw new StoreUnavailable('no directory in this test');
};
let port = 0;
let app: Awaited<ReturnType<typeof startTestApp>>;

beforeAll(async () => {
  app = await startTestApp({ lookUp: unreachable });
  port = app.port;
});
afterAll(() => app[Symbol.asyncDispose]());

const send = (data: string | Buffer, more: Partial<RawOptions> = {}) => sendRaw(data, { port, ...more });

function expectEnvelope(response: RawResponse | undefined, status: number, code: string): void {
  expect(response).toBeDefined();
  const { headers, body } = response as RawResponse;
  expect({ status: response?.status, body: JSON.parse(body) }).toEqual({
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

test.concurrent.each<[string, string | Buffer, number, string, Partial<RawOptions>?]>([
  ['a truncated request line', 'GET /api/v1/ping\r\n\r\n', 400, 'BAD_REQUEST'],
  ['a request line that ends early', 'GET /api/v1/pi', 400, 'BAD_REQUEST', { halfClose: true }],
  ['binary data', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]), 400, 'BAD_REQUEST'],
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
  ['a path with invalid percent-encoding', get('/api/v1/%zz'), 400, 'BAD_REQUEST'],
  ['a path that is not UTF-8', get('/api/v1/%ff'), 400, 'BAD_REQUEST'],
  ['large headers', get('/api/v1/ping', `X-A: ${'a'.repeat(40_000)}\r\n`), 431, 'HEADERS_TOO_LARGE'],
  ['endless headers', get('/api/v1/ping', `X-A: ${'a'.repeat(400_000)}\r\n`), 431, 'HEADERS_TOO_LARGE'],
  ['many headers', get('/api/v1/ping', 'X-A: a\r\n'.repeat(9_000)), 431, 'HEADERS_TOO_LARGE'],
  ['a long URL', get(`/api/v1/logs?action=${'a'.repeat(100_000)}`), 414, 'URI_TOO_LONG'],
  ['CONNECT', 'CONNECT example.test:443 HTTP/1.1\r\nHost: a\r\n\r\n', 501, 'NOT_IMPLEMENTED'],
  ['an unknown expectation', get('/api/v1/ping', 'Expect: tea\r\n'), 417, 'EXPECTATION_FAILED'],
  ['an unknown method', 'BREW /api/v1/ping HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
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
  ['a route in another case', get('/api/v1/Logs'), 404, 'NOT_FOUND'],
  ['a POST to an unknown route', 'POST /nonsense HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx', 404, 'NOT_FOUND'],
  ['a /.well-known path', get('/.well-known/oauth-protected-resource'), 404, 'NOT_FOUND'],
  ['the root', get('/'), 404, 'NOT_FOUND'],
  ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n', 404, 'NOT_FOUND'],
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
  ['a key in the URL', get(`/api/v1/ping?x=${makeSecret()}`, `X-API-Key: ${makeSecret()}\r\n`), 401, 'UNAUTHENTICATED'],
  [
    'a percent-encoded key in the URL',
    get(`/api/v1/ping?x=${makeSecret().replace('tscope', '%74scope')}`),
    401,
    'UNAUTHENTICATED',
  ],
  [
    'a key while the key directory is unreachable',
    get('/api/v1/ping', `X-API-Key: ${makeSecret()}\r\n`),
    503,
    'SERVICE_UNAVAILABLE',
  ],
])('a request with %s gets its documented error', async (_, data, status, code, more) => {
  const responses = await send(data, more);
  expectEnvelope(responses[0], status, code);
});

test.concurrent('a 405 response lists the allowed methods', async () => {
  const [response] = await send('DELETE /api/v1/ping HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(response?.headers.allow).toBe('GET, HEAD');
});

test.concurrent('HEAD responds as GET does, without the body', async () => {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/openapi.json`, { method: 'HEAD' });
  expect({ status: response.status, body: await response.text() }).toEqual({ status: 200, body: '' });
});

test.concurrent('a request that never ends gets 408', async () => {
  await using impatient = await startTestApp({ lookUp: unreachable, timeouts: shortTimeouts });
  const responses = await Promise.all(
    [
      'GET /api/v1/ping HTTP/1.1\r\nHost: a\r\n',
      'GET /api/v1/pi',
      'GET /api/v1/ping HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nx',
    ].map((data) => send(data, { port: impatient.port })),
  );
  for (const [first] of responses) expectEnvelope(first, 408, 'REQUEST_TIMEOUT');
});

test.concurrent('the absolute form of a request target is accepted', async () => {
  const [response] = await send('GET http://a/api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(response?.status).toBe(200);
});

test.concurrent('the OpenAPI document is served without a key', async () => {
  const [response] = await send(get('/api/v1/openapi.json'));
  expect(response?.status).toBe(200);
  expect(JSON.parse(response?.body ?? '')).toMatchObject({ openapi: '3.1.0' });
});

test.concurrent('a retired route names its successor', async () => {
  const [response] = await send(get('/api/v1/monitoring-alerts'));
  expect(JSON.parse(response?.body ?? '')).toMatchObject({
    error: { message: expect.stringContaining('/policy-scans') },
  });
});

test.concurrent('a well-formed request id is adopted, any other is replaced', async () => {
  const idsOf = (requested: string[]) =>
    Promise.all(
      requested.map(async (id) => (await send(get('/x', `X-Request-Id: ${id}\r\n`)))[0]?.headers['x-request-id']),
    );
  const wellFormed = ['a', 'A1.b_c-d', 'x'.repeat(64)];
  expect(await idsOf(wellFormed)).toEqual(wellFormed);
  for (const id of await idsOf(['', 'x'.repeat(65), 'a b', 'a/b', 'é', '<x>'])) expect(id).toMatch(/^[0-9a-f-]{36}$/);
});

test.concurrent('pipelined requests get their responses in order', async () => {
  const responses = await send(
    get('/api/v1/openapi.json') + get('/x', 'X-Request-Id: second\r\n') + get('/api/v1/ping'),
  );
  expect(responses.map(({ status }) => status)).toEqual([200, 404, 401]);
  expect(responses[1]?.headers['x-request-id']).toBe('second');
});

test.concurrent('all rejections of a key have the same body', async () => {
  const rejected = await Promise.all(
    [
      '',
      'Authorization: Bearer\r\n',
      'Authorization: Basic eA==\r\n',
      'X-API-Key: nonsense\r\n',
      `X-API-Key: ${makeSecret()}A\r\n`,
      `Authorization: Bearer ${makeSecret()}\r\nX-API-Key: ${makeSecret()}\r\n`,
    ].map(async (headers) => (await send(get('/api/v1/ping', `X-Request-Id: same\r\n${headers}`)))[0]),
  );
  expect(new Set(rejected.map((response) => response?.body)).size).toBe(1);
  for (const response of rejected) expect(response?.headers['www-authenticate']).toBe('Bearer realm="tenantscope"');
});

test.concurrent('a request without TLS is never redirected to HTTPS, so that a key sent in clear is noticed', async () => {
  const targets = ['/', '/api/v1', '/api/v1/', '/api/v1/ping', '/api/v1/logs', '/api/v1/mcp'];
  const headers = ['', 'X-Forwarded-Proto: http\r\n', 'Upgrade-Insecure-Requests: 1\r\n'];
  const requests = targets.flatMap((target) => headers.map((each) => get(target, `${each}X-API-Key: x\r\n`)));
  for (const [response] of await Promise.all(requests.map((request) => send(request)))) {
    expect(response?.status).toBeGreaterThanOrEqual(400);
    expect(response?.headers.location).toBeUndefined();
  }
});

test.concurrent.each(['/metrics', '/livez', '/readyz', '/api/v1/metrics'])(
  'the port of the API does not serve %s, which has a port of its own',
  async (target) => {
    expectEnvelope((await send(get(target)))[0], 404, 'NOT_FOUND');
  },
);
