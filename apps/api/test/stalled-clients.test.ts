// @module-tag exhaustive
import { connect, type Socket } from 'node:net';
import { makeSecret } from '@tenantscope/store/api-key';
import { expect, test } from 'vitest';
import { shortTimeouts, startTestApp } from './test-app.ts';

/** More than the buffers of both ends of a connection contain. */
const body = Buffer.alloc(48 * 1_048_576, '{"data":[]} ');

const key = `X-API-Key: ${makeSecret()}\r\n`;
const get = (path: string) => `GET /api/v1${path} HTTP/1.1\r\nHost: a\r\n${key}\r\n`;

/** Opens a connection that reads nothing until it is resumed. */
function open(port: number, requests: string): Socket {
  const socket = connect({ host: '127.0.0.1', port }).pause();
  socket.on('error', () => {});
  socket.write(requests);
  return socket;
}

/** Reads to the end of the connection, `pauseMs` after each MiB; returns how many bytes arrived. */
async function readToEnd(socket: Socket, { until = Number.POSITIVE_INFINITY, pauseMs = 0 } = {}): Promise<number> {
  let received = 0;
  let unread = 1_048_576;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('data', ({ length }: Buffer) => {
    received += length;
    unread -= length;
    if (received >= until) socket.destroy();
    if (unread > 0 || pauseMs === 0) return;
    unread = 1_048_576;
    socket.pause();
    setTimeout(() => socket.resume(), pauseMs);
  });
  socket.resume();
  await closed;
  return received;
}

test('a client that stops reading its response is disconnected, also with responses that follow', async () => {
  await using app = await startTestApp({
    handlers: { list_logs: async () => ({ body }) },
    timeouts: shortTimeouts,
  });
  const stalled = [open(app.port, get('/logs')), open(app.port, get('/logs').repeat(3))];
  await expect.poll(() => app.countConnections(), { timeout: 20_000 }).toBe(2);
  await expect.poll(() => app.countConnections(), { timeout: 20_000 }).toBe(0);
  for (const socket of stalled) expect(await readToEnd(socket)).toBeLessThan(body.length);
});

test('neither a client that reads slowly is disconnected, nor one whose response is not ready', async () => {
  const requested = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await using app = await startTestApp({
    handlers: {
      list_logs: async () => ({ body }),
      async ping() {
        requested.resolve();
        await released.promise;
        return { body: '{"data":{}}' };
      },
    },
    timeouts: shortTimeouts,
  });
  // The second response is complete, and waits for the first one.
  const waiting = open(app.port, get('/ping') + get('/logs'));
  await requested.promise;
  const slow = open(app.port, get('/logs'));
  const stalled = open(app.port, get('/logs'));
  expect(await readToEnd(slow, { until: body.length, pauseMs: 50 })).toBeGreaterThanOrEqual(body.length);
  await expect.poll(() => app.countConnections(), { timeout: 20_000 }).toBe(1);
  released.resolve();
  expect(await readToEnd(waiting, { until: body.length })).toBeGreaterThanOrEqual(body.length);
  stalled.destroy();
});
