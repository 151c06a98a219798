import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { makeSecret } from '@tenantscope/store/api-key';
import { expect, test } from 'vitest';
import { startTestApp } from './test-app.ts';

const request = `GET /api/v1/ping HTTP/1.1\r\nHost: a\r\nX-API-Key: ${makeSecret()}\r\n\r\n`;

async function readResponse(socket: Socket): Promise<string> {
  socket.write(request);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString('latin1').split('\r\n')[0] ?? '';
}

test('connections beyond the limit are closed at once, and those that are open are served', async () => {
  await using app = await startTestApp({
    handlers: { ping: async () => ({ body: '{"data":{}}' }) },
    maxConnections: 2,
  });
  const open = () => connect({ host: '127.0.0.1', port: app.port }).on('error', () => {});
  const first = open();
  const second = open();
  expect(await readResponse(first)).toBe('HTTP/1.1 200 OK');
  expect(await readResponse(second)).toBe('HTTP/1.1 200 OK');
  await once(open(), 'close');
  expect(await app.metrics.registry.metrics()).toContain('tenantscope_dropped_connections_total 1');
  expect(await readResponse(first)).toBe('HTTP/1.1 200 OK');

  first.destroy();
  await expect.poll(() => app.countConnections()).toBe(1);
  const third = open();
  expect(await readResponse(third)).toBe('HTTP/1.1 200 OK');
  for (const socket of [second, third]) socket.destroy();
});
