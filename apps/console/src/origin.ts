import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopback } from './config.ts';
import { Refusal } from './refusal.ts';

/** Whether it is a request that a route answers, however its address is spelt, and not a page. */
export const isAnswered = ({ routeOptions }: FastifyRequest): boolean =>
  /^\/console\/(api|auth)\//.test(routeOptions.url ?? '');

/**
 * A request that changes something comes from a page of ours and is JSON; one that reads data comes from a page of ours or from nobody's, so that
 * no other site has what it may not see opened or counted. Browsers let no page forge Origin and Sec-Fetch-Site; a form of another port of this host
 * would arrive as same-site, which is not enough.
 */
export function refuseForeign(origin: string, request: FastifyRequest): void {
  const { headers, method } = request;
  if (method === 'GET' || method === 'HEAD') {
    const site = headers['sec-fetch-site'];
    const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
    if (isForeign && request.routeOptions.url?.startsWith('/console/api/'))
      throw new Refusal('FOREIGN_ORIGIN', 'This is answered to the console’s own pages only.');
    return;
  }
  if (headers.origin !== origin || headers['sec-fetch-site'] !== 'same-origin')
    throw new Refusal('FOREIGN_ORIGIN', 'Changes are made from the console’s own pages only.');
  if (!/^application\/json(;|$)/i.test(headers['content-type'] ?? ''))
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'Send the change as application/json.');
}

/**
 * The console has one name, for which cookies and passkeys hold. True: another was asked for and the answer is given. This machine goes by several
 * names, and whoever takes one of those is led on; any other is refused, since a name that leads here and is not ours is somebody's mistake, or trick.
 */
export function answerForeignHost(origin: string, request: FastifyRequest, reply: FastifyReply): boolean {
  const own = new URL(origin);
  const named = URL.parse(`${own.protocol}//${request.host}`);
  if (named?.host === own.host) return false;
  const isAsked = request.method === 'GET' && !request.url.startsWith('/console/api/');
  const isThisMachine =
    named !== null && named.port === own.port && [named, own].every((one) => isLoopback(one.hostname));
  if (isAsked && isThisMachine) {
    reply.redirect(origin + request.url);
    return true;
  }
  const words = `This console is reached at ${origin} and by no other name.`;
  if (!isAsked) throw new Refusal('FOREIGN_HOST', words);
  reply.status(421).type('text/plain; charset=utf-8').send(`${words}\n`);
  return true;
}
