// @module-tag exhaustive
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHttpServer } from '../src/http/http-server.ts';

const timeouts = { headersMs: 300, requestMs: 600, keepAliveMs: 5_000, sendMs: 1_500, checkMs: 50 };
const fastify = Fastify({
  serverFactory: (routes) => createHttpServer(routes, { timeouts, headers: { 'X-Content-Type-Options': 'nosniff' } }),
  clientErrorHandler: () => {},
});
fastify.post('/', async ({ body }) => body);
/** More than the buffers of both ends of a connection contain. */
const large = Buffer.alloc(48 * 1_048_576, 'x');
fastify.get('/large', async () => large);
const released = Promise.withResolvers<void>();
fastify.get('/late', async () => {
  await released.promise;
  return 'late';
});
let port = 0;
beforeAll(async () => {
  await fastify.listen({ host: '127.0.0.1', port: 0 });
  port = (fastify.server.address() as AddressInfo).port;
});
afterAll(() => fastify.close());

/** All that the server sends until it closes the connection. */
async function readUntilClosed(...sent: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (part) => {
    received += part;
  });
  for (const part of sent) socket.write(part);
  await once(socket, 'close');
  return received;
}

const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

test.concurrent.each([
  ['headers that never end', head],
  ['a body that never ends', `${head}Content-Length: 10\r\n\r\n{`],
  ['chunks that never end', `${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`],
])('%s get 408 with the error body and are disconnected', async (_, sent) => {
  const received = await readUntilClosed(sent);
  expect(received).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/);
  expect(received).toContain('X-Content-Type-Options: nosniff');
  expect(received).toContain('Cache-Control: no-store');
  expect(JSON.parse(received.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { code: 'REQUEST_TIMEOUT' } });
});

test.concurrent('a malformed request gets 400 once, with the error body', async () => {
  const received = await readUntilClosed('no request\r\n\r\n');
  expect(received.match(/HTTP\/1.1/g)).toHaveLength(1);
  expect(received).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
  expect(JSON.parse(received.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { code: 'INVALID_PARAMETER' } });
});

test.concurrent('headers that are too large get 431 with the error body', async () => {
  const received = await readUntilClosed(`GET /?x=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`);
  expect(received).toMatch(/^HTTP\/1.1 431 /);
  expect(JSON.parse(received.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { code: 'HEADERS_TOO_LARGE' } });
});

test.concurrent('a slow body that arrives in time is read', async () => {
  const received = readUntilClosed(`${head}Connection: close\r\nContent-Length: 2\r\n\r\n{`, '}');
  expect(await received).toMatch(/^HTTP\/1.1 200 OK\r\n/);
});

test('a client that stops reading its response is disconnected; one that reads slowly is not, nor one that waits', async () => {
  const open = (path: string): Socket => {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    return socket;
  };
  // Not by once(), which fails with the reset of the connection.
  const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));
  const countConnections = () =>
    new Promise<number>((resolve, reject) =>
      fastify.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  const late = readUntilClosed('GET /late HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const stalled = open('/large');
  const slow = open('/large');
  await expect.poll(countConnections, { timeout: 20_000 }).toBe(3);
  let received = 0;
  slow.on('data', ({ length }: Buffer) => {
    received += length;
    slow.pause();
    setTimeout(() => slow.resume(), 1);
  });
  slow.resume();
  await closed(slow);
  expect(received).toBeGreaterThan(large.length);
  await expect.poll(countConnections, { timeout: 20_000 }).toBe(1);
  expect(stalled.destroyed).toBe(false);
  let rest = 0;
  stalled.on('data', ({ length }: Buffer) => {
    rest += length;
  });
  stalled.resume();
  await closed(stalled);
  expect(rest).toBeLessThan(large.length);
  released.resolve();
  expect(await late).toMatch(/^HTTP\/1.1 200 OK\r\n/);
});
