import { once } from 'node:events';
import { connectionTimeouts, type Log } from '@tenantscope/runtime';
import type { FastifyInstance } from 'fastify';
import { createHttpServer } from './http-server.ts';
import { securityHeaders } from './security-headers.ts';

/**
 * Listens on ::1 too. Browsers resolve localhost to that address first, whatever the hosts file says; another process that listens there would
 * receive the console's requests.
 */
export async function listenAtSecondLoopback(
  fastify: FastifyInstance,
  { origin, port }: { origin: string; port: number },
  log: Log,
): Promise<AsyncDisposable> {
  const server = createHttpServer((request, response) => fastify.routing(request, response), {
    timeouts: connectionTimeouts,
    headers: securityHeaders(origin),
  });
  server.listen(port, '::1');
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      log.warn({ port }, '::1 is in use by another process; browsers that open localhost may reach it instead');
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
