// @module-tag exhaustive
import { connect } from 'node:net';
import { makeSecret } from '@tenantscope/store/api-key';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RawOptions, sendRaw } from './raw-http.ts';
import { shortTimeouts, startTestApp } from './test-app.ts';

const maxBytes = 65_536;
let app: Awaited<ReturnType<typeof startTestApp>>;

const handlers = { ping: async () => ({ body: '{"data":{}}' }) };

beforeAll(async () => {
  app = await startTestApp({ handlers });
});
afterAll(() => app[Symbol.asyncDispose]());

const send = (data: string | Buffer, more: Partial<RawOptions> = {}) => sendRaw(data, { port: app.port, ...more });
const key = `X-API-Key: ${makeSecret()}\r\n`;

function get(target: string, headers: string, body = ''): string {
  return `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n${body}`;
}
const withLength = (target: string, bytes: number, headers = '') =>
  get(target, `${headers}Content-Length: ${bytes}\r\n`, 'x'.repeat(bytes));
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
const chunked = (target: string, sizes: readonly number[], headers = '') =>
  get(target, `${headers}Transfer-Encoding: chunked\r\n`, `${sizes.map(chunk).join('')}0\r\n\r\n`);

const next = get('/api/v1/ping', `${key}X-Request-Id: next\r\n`);

test.concurrent.each<[string, string]>([
  ['an empty object', get('/api/v1/ping', `${key}Content-Type: application/json\r\nContent-Length: 2\r\n`, '{}')],
  ['text of no type', withLength('/api/v1/ping', 3, key)],
  ['invalid JSON', get('/api/v1/ping', `${key}Content-Type: application/json\r\nContent-Length: 1\r\n`, '{')],
  ['a form', withLength('/api/v1/ping', 9, `${key}Content-Type: application/x-www-form-urlencoded\r\n`)],
  ['a compressed body', withLength('/api/v1/ping', 9, `${key}Content-Encoding: gzip\r\n`)],
  ['65,536 bytes', withLength('/api/v1/ping', maxBytes, key)],
  ['65,536 bytes in chunks', chunked('/api/v1/ping', [1, maxBytes - 2, 1], key)],
  ['no chunk', chunked('/api/v1/ping', [], key)],
])('a GET request with %s is served and its body is ignored', async (_, request) => {
  const responses = await send(request + next);
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect(responses[1]?.headers['x-request-id']).toBe('next');
});

test.concurrent('the OpenAPI document and the evidence keys are served to a GET request with a body', async () => {
  for (const target of ['/api/v1/openapi.json', '/api/v1/evidence/jwks.json'])
    expect((await send(withLength(target, 2) + next)).map(({ status }) => status)).toEqual([200, 200]);
});

test.concurrent('an unknown route is not found whatever the body, and the connection stays usable', async () => {
  const responses = await send(withLength('/nonsense', 2) + chunked('/nonsense', [maxBytes]) + next);
  expect(responses.map(({ status }) => status)).toEqual([404, 404, 200]);
  expect((await send(withLength('/nonsense', maxBytes + 1))).map(({ status }) => status)).toEqual([404]);
});

test.concurrent.each<[string, string]>([
  ['a length', withLength('/api/v1/ping', maxBytes + 1, key)],
  ['chunks', chunked('/api/v1/ping', [maxBytes, 1], key)],
  ['endless chunks', get('/api/v1/ping', `${key}Transfer-Encoding: chunked\r\n`, chunk(maxBytes).repeat(4))],
])('a GET request with a body over 65,536 bytes by %s gets 413, which the key pays for', async (_, request) => {
  const [response, ...more] = await send(request);
  expect(response?.status).toBe(413);
  expect(JSON.parse(response?.body ?? '')).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE' } });
  expect(response?.headers.connection).toBe('close');
  expect(response?.headers['x-ratelimit-limit']).toBe('600');
  expect(more).toEqual([]);
});

test.concurrent('a body over 65,536 bytes gets 413 without a key as well', async () => {
  const [response] = await send(withLength('/api/v1/ping', maxBytes + 1));
  expect(response?.status).toBe(413);
  expect(response?.headers['x-ratelimit-limit']).toBeUndefined();
});

test.concurrent('a client that expects 100 (Continue) gets it for a body that is accepted and not for one that is too large', async () => {
  const expectContinue = (bytes: number) =>
    exchange(get('/api/v1/ping', `${key}Expect: 100-continue\r\nContent-Length: ${bytes}\r\n`), 'x'.repeat(bytes));
  expect(await expectContinue(2)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  expect(await expectContinue(maxBytes + 1)).toMatch(/^HTTP\/1\.1 413 /);
});

/** Sends a body after the server has asked for it; returns everything the server wrote. */
function exchange(head: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: app.port });
    let text = '';
    socket.on('data', (bytes) => {
      if (text === '' && bytes.toString().startsWith('HTTP/1.1 100 ')) socket.write(body);
      text += bytes.toString();
      if (/HTTP\/1\.1 [2-5]\d\d[\s\S]*\r\n\r\n/.test(text)) socket.end();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
    socket.write(head);
  });
}

test.concurrent('a body that arrives too slowly gets 408, once, and closes the connection', async () => {
  await using impatient = await startTestApp({ handlers, timeouts: shortTimeouts });
  const slow = get('/api/v1/ping', `${key}Content-Length: 10\r\n`, 'x');
  const responses = await send(slow, { port: impatient.port, silenceMs: 1_500 });
  expect(responses.map(({ status }) => status)).toEqual([408]);
  expect(responses[0]?.headers.connection).toBe('close');
});

test.concurrent('a client that disconnects in a body does not disturb other connections', async () => {
  await send(get('/api/v1/ping', `${key}Content-Length: 10\r\n`, 'x'), { waitMs: 50 });
  expect((await send(next))[0]?.status).toBe(200);
});
