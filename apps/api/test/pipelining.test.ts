// @module-tag exhaustive
import { connect } from 'node:net';
import { makeSecret } from '@tenantscope/store/api-key';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RawOptions, type RawResponse, sendRaw } from './raw-http.ts';
import { shortTimeouts, startTestApp } from './test-app.ts';

let app: Awaited<ReturnType<typeof startTestApp>>;
/** Resolves when `/logs` was requested; its response waits for the release. */
let requested: PromiseWithResolvers<void>;
let released: PromiseWithResolvers<void>;

const handlers = {
  ping: async () => ({ body: '{"data":{}}' }),
  async list_logs() {
    requested.resolve();
    await released.promise;
    return { body: '{"data":[]}' };
  },
};

beforeAll(async () => {
  app = await startTestApp({ handlers });
});
afterAll(() => app[Symbol.asyncDispose]());

const send = (data: string, more: Partial<RawOptions> = {}) => sendRaw(data, { port: app.port, ...more });
const key = `X-API-Key: ${makeSecret()}\r\n`;
const get = (target: string, headers = '') => `GET ${target} HTTP/1.1\r\nHost: a\r\n${key}${headers}\r\n`;
const ping = (id: string) => get('/api/v1/ping', `X-Request-Id: ${id}\r\n`);

const summarize = (responses: readonly RawResponse[]) =>
  responses.map(({ status, headers }) => (status === 200 ? headers['x-request-id'] : status));

test.concurrent.each<[string, string, number]>([
  ['a line that is not HTTP', 'nonsense\r\n\r\n', 400],
  ['binary data', '\x16\x03\x01\x02\x00\x01', 400],
  ['a header without colon', 'GET /api/v1/ping HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n', 400],
  ['a wrong version', 'GET /api/v1/ping HTTP/9.9\r\nHost: a\r\n\r\n', 400],
  ['an unknown method', 'BREW /api/v1/ping HTTP/1.1\r\nHost: a\r\n\r\n', 405],
  ['headers without end', `GET /api/v1/ping HTTP/1.1\r\nX-A: ${'a'.repeat(400_000)}`, 431],
  ['two lengths', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
  ['bad chunking', 'GET /api/v1/ping HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400],
  ['a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 501],
])('complete requests before %s get their responses in order before the error', async (_, malformed, status) => {
  for (const complete of [['1'], ['1', '2', '3']]) {
    const responses = await send(complete.map(ping).join('') + malformed);
    expect(summarize(responses)).toEqual([...complete, status]);
    expect(responses.at(-1)?.headers.connection).toBe('close');
    expect(JSON.parse(responses.at(-1)?.body ?? '')).toMatchObject({
      error: { requestId: responses.at(-1)?.headers['x-request-id'] },
    });
  }
});

test.concurrent('requests after a malformed one are not served', async () => {
  expect(summarize(await send(`${ping('1')}nonsense\r\n\r\n${ping('2')}`))).toEqual(['1', 400]);
  expect(summarize(await send(`nonsense\r\n\r\n${ping('2')}`))).toEqual([400]);
});

test('a malformed request waits for a slow response before it, also if more of it arrives meanwhile', async () => {
  requested = Promise.withResolvers();
  released = Promise.withResolvers();
  const socket = connect({ host: '127.0.0.1', port: app.port });
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString();
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(`${get('/api/v1/logs')}${ping('second')}nonsense\r\n\r\n`);
  await requested.promise;
  await new Promise<void>((resolve) => socket.write('more nonsense\r\n', () => resolve()));
  expect(text).toBe('');
  released.resolve();
  await closed;
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
  expect(text.indexOf('{"data":[]}')).toBeLessThan(text.indexOf('X-Request-Id: second'));
});

test('a client that disconnects during a slow response before a malformed request does not disturb other connections', async () => {
  requested = Promise.withResolvers();
  released = Promise.withResolvers();
  const socket = connect({ host: '127.0.0.1', port: app.port });
  socket.write(`${get('/api/v1/logs')}nonsense\r\n\r\n`);
  await requested.promise;
  socket.destroy();
  released.resolve();
  expect(summarize(await send(ping('next')))).toEqual(['next']);
});

test.concurrent('a body that breaks off gets the error as its own response, after those before it', async () => {
  const broken = `${get('/api/v1/ping', 'Transfer-Encoding: chunked\r\n')}2\r\n{}\r\nzz\r\n`;
  expect(summarize(await send(ping('1') + broken + ping('2')))).toEqual(['1', 400]);
  const post =
    'POST /api/v1/mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
  expect(summarize(await send(`${ping('1')}${post}\r\n2\r\n{}\r\nzz\r\n`))).toEqual(['1', 400]);
});

test.concurrent('a request that never ends gets 408 after the responses before it', async () => {
  await using impatient = await startTestApp({ handlers, timeouts: shortTimeouts });
  const options = { port: impatient.port, silenceMs: 1_500 };
  expect(summarize(await send(`${ping('1')}GET /api/v1/pi`, options))).toEqual(['1', 408]);
});

test.concurrent('a request that closes the connection gets its response, and what follows gets no response', async () => {
  const close = get('/api/v1/ping', 'Connection: close\r\nX-Request-Id: last\r\n');
  expect(summarize(await send(`${close}nonsense\r\n\r\n`))).toEqual(['last']);
  expect(summarize(await send(`${close}${ping('more')}`))).toEqual(['last']);
  const old = `GET /api/v1/ping HTTP/1.0\r\n${key}X-Request-Id: old\r\n`;
  expect(summarize(await send(`${old}\r\nnonsense\r\n\r\n`))).toEqual(['old']);
  expect(summarize(await send(`${old}Connection: keep-alive\r\n\r\nnonsense\r\n\r\n`))).toEqual(['old', 400]);
});
