import { existsSync } from 'node:fs';
import { join } from 'node:path';
import staticFiles from '@fastify/static';
import { StoreUnavailable } from '@tenantscope/store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Console } from './console.ts';
import { Refusal } from './refusal.ts';

/** Where the built pages lie; `npm start` builds them. */
export const pagesDirectory = join(import.meta.dirname, '..', 'dist');

/** The pages: assets by their content's hash, for good; everything else below /console is the one page, for whoever is signed in. */
export async function servePages(fastify: FastifyInstance, console: Console): Promise<void> {
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
    if (!isPage(request)) throw new Refusal('NOT_FOUND', 'There is no such address.');
    if (!isBuilt) throw new Refusal('SERVICE_UNAVAILABLE', 'The console’s pages are not built: npm start builds them.');
    const elsewhere = await leadOn(console, request);
    if (elsewhere !== null) return reply.redirect(elsewhere);
    return reply.header('Cache-Control', 'no-store').type('text/html; charset=utf-8').sendFile('index.html');
  });
}

const isPage = ({ method, url }: FastifyRequest): boolean =>
  method === 'GET' && /^\/console(?=$|[/?])(?!\/(?:api|auth|assets)(?:$|[/?]))/.test(url);

const signInPath = '/console/sign-in';
/** Pages that answer everybody. */
const openPages = [signInPath, '/console/set-up', '/console/came-back'];

/** Where this visitor should be instead: at the door without a session, inside with one. Null: here. */
async function leadOn({ cookie, store }: Console, request: FastifyRequest): Promise<string | null> {
  const { pathname, search, searchParams } = new URL(request.url, 'http://here');
  const isOpen = openPages.includes(pathname);
  if (isOpen && pathname !== signInPath) return null;
  const secret = cookie.read(request);
  try {
    const session = secret === null ? null : await store.sessions.find(secret);
    if (isOpen) return session === null ? null : `/console${pageOfConsole(searchParams.get('to'))}`;
    if (session !== null) return null;
  } catch (error) {
    // Whether somebody is signed in is not known: the page says so itself.
    if (error instanceof StoreUnavailable) return null;
    throw error;
  }
  const to = pathname.slice('/console'.length) + search;
  return to === '' || to === '/' ? signInPath : `${signInPath}?${new URLSearchParams({ to })}`;
}

/** As an address spells it; whatever leads out of the console leads to its first page. */
function pageOfConsole(to: string | null): string {
  const page = to === null ? null : URL.parse(`http://here/console${to}`);
  const isPage = page !== null && /^\/console\/(?!\/|(api|auth)(\/|$))/.test(page.pathname);
  return isPage ? (page.pathname + page.search).slice('/console'.length) : '/';
}
