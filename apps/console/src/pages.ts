import { existsSync } from 'node:fs';
import { join } from 'node:path';
import staticFiles from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { Refusal } from './refusal.ts';

/** Where the built pages lie; `npm start` builds them. */
export const pagesDirectory = join(import.meta.dirname, '..', 'dist');

/** The pages: assets by their content's hash, for good; everything else below /console is the one page. */
export async function servePages(fastify: FastifyInstance): Promise<void> {
  const isBuilt = existsSync(join(pagesDirectory, 'index.html'));
  if (isBuilt)
    await fastify.register(staticFiles, {
      root: pagesDirectory,
      prefix: '/console/',
      wildcard: false,
      index: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders: (reply, path) =>
        void reply.setHeader(
          'Cache-Control',
          path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-store',
        ),
    });
  fastify.get('/', async (_, reply) => reply.redirect('/console/'));
  fastify.setNotFoundHandler(async (request, reply) => {
    const isPage =
      request.method === 'GET' && /^\/console(\/|$)/.test(request.url) && !request.url.startsWith('/console/api');
    if (!isPage) throw new Refusal('NOT_FOUND', 'There is no such address.');
    if (!isBuilt) throw new Refusal('SERVICE_UNAVAILABLE', 'The console’s pages are not built: npm start builds them.');
    return reply.header('Cache-Control', 'no-store').type('text/html; charset=utf-8').sendFile('index.html');
  });
}
