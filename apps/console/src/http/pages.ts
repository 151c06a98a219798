import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import staticFiles from '@fastify/static';
import { StoreUnavailable } from '@tenantscope/store/connection';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Console } from '../console.ts';
import { HttpError } from './http-error.ts';

/** A link to the built pages; `npm start` builds them. */
const pagesLink = join(import.meta.dirname, '..', '..', 'dist', 'current');

/** Serves the pages: assets are named by their content hash and cached forever; every other path below /console is the single page. */
export async function servePages(fastify: FastifyInstance, console: Console): Promise<void> {
  const isBuilt = existsSync(pagesLink);
  if (isBuilt)
    await fastify.register(staticFiles, {
      // The build that the link refers to now: a later build does not change what a running console serves.
      root: realpathSync(pagesLink),
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
    if (!isPage(request)) throw new HttpError('NOT_FOUND', 'There is no such address.');
    if (!isBuilt)
      throw new HttpError('SERVICE_UNAVAILABLE', "The console's pages are not built; build them with npm start.");
    const target = await redirectTarget(console, request);
    if (target !== null) return reply.redirect(target);
    return reply.header('Cache-Control', 'no-store').type('text/html; charset=utf-8').sendFile('index.html');
  });
}

const isPage = ({ method, url }: FastifyRequest): boolean =>
  method === 'GET' && /^\/console(?=$|[/?])(?!\/(?:api|auth|assets)(?:$|[/?]))/.test(url);

const signInPath = '/console/sign-in';
/** Pages that need no session. */
const publicPages = [signInPath, '/console/set-up', '/console/oidc-popup'];

/** Sign-in for a page that needs a session, the console for sign-in within a session; null: the requested page. */
async function redirectTarget({ cookie, store }: Console, request: FastifyRequest): Promise<string | null> {
  const { pathname, search, searchParams } = new URL(request.url, 'http://here');
  const isPublic = publicPages.includes(pathname);
  if (isPublic && pathname !== signInPath) return null;
  const secret = cookie.read(request);
  try {
    const session = secret === null ? null : await store.sessions.find(secret);
    if (isPublic) return session === null ? null : `/console${pageOfConsole(searchParams.get('to'))}`;
    if (session !== null) return null;
  } catch (error) {
    // Whether the user is signed in is unknown; the page reports that the database is unavailable.
    if (error instanceof StoreUnavailable) return null;
    throw error;
  }
  const to = pathname.slice('/console'.length) + search;
  return to === '' || to === '/' ? signInPath : `${signInPath}?${new URLSearchParams({ to })}`;
}

/** The path and query of a page of the console; the first page for anything else. */
function pageOfConsole(to: string | null): string {
  const page = to === null ? null : URL.parse(`http://here/console${to}`);
  const isPage = page !== null && /^\/console\/(?!\/|(api|auth)(\/|$))/.test(page.pathname);
  return isPage ? (page.pathname + page.search).slice('/console'.length) : '/';
}
