import { isLoopback } from '@tenantscope/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from './http-error.ts';

/** Whether the request matched a route of the API, not a page; independent of how its URL is spelled. */
export const isApiRequest = ({ routeOptions }: FastifyRequest): boolean =>
  /^\/console\/(api|auth)\//.test(routeOptions.url ?? '');

/**
 * A change must come from a page of the console, as JSON. A read must come from a page of the console or from no page at all, so that no other
 * site can load or count data that it may not see. Browsers let no page forge Origin and Sec-Fetch-Site; a form on another port of this host is
 * sent as same-site, which is refused.
 */
export function rejectCrossOrigin(origin: string, request: FastifyRequest): void {
  const { headers, method } = request;
  if (method === 'GET' || method === 'HEAD') {
    const site = headers['sec-fetch-site'];
    const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
    if (isForeign && request.routeOptions.url?.startsWith('/console/api/'))
      throw new HttpError('FOREIGN_ORIGIN', "Only the console's own pages may request this.");
    return;
  }
  if (headers.origin !== origin || headers['sec-fetch-site'] !== 'same-origin')
    throw new HttpError('FOREIGN_ORIGIN', "Only the console's own pages may make changes.");
  if (!/^application\/json(;|$)/i.test(headers['content-type'] ?? ''))
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', 'Send the change as application/json.');
}

/**
 * The console has one host name, to which cookies and passkeys are bound. Returns true if the request named another one and was responded to:
 * another name of this machine is redirected; any other is refused, since it is a misconfiguration or an attack.
 */
export function handleForeignHost(origin: string, request: FastifyRequest, reply: FastifyReply): boolean {
  const own = new URL(origin);
  const requested = URL.parse(`${own.protocol}//${request.host}`);
  if (requested?.host === own.host) return false;
  const isPage = request.method === 'GET' && !request.url.startsWith('/console/api/');
  const isThisMachine =
    requested !== null && requested.port === own.port && [requested, own].every(({ hostname }) => isLoopback(hostname));
  if (isPage && isThisMachine) {
    reply.redirect(origin + request.url);
    return true;
  }
  const message = `This console is available at ${origin} only.`;
  if (!isPage) throw new HttpError('FOREIGN_HOST', message);
  reply.status(421).type('text/plain; charset=utf-8').send(`${message}\n`);
  return true;
}
