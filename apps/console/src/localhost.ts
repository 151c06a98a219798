import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Log } from '@tenantscope/runtime';
import type { FastifyInstance } from 'fastify';

/**
 * Answers at ::1 too. Browsers take localhost for that address first, whatever the machine's own list of names says; where somebody else listens
 * there, they would be met in place of the console.
 */
export async function listenAtSecondLoopback(
  fastify: FastifyInstance,
  port: number,
  log: Log,
): Promise<AsyncDisposable> {
  const server = createServer((request, response) => fastify.routing(request, response));
  server.listen(port, '::1');
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      log.warn({ port }, 'somebody else listens at this port of ::1, where browsers look for localhost first');
    else if (code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT') throw error;
  }
  return {
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
