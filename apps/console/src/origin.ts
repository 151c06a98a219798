import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopback } from './config.ts';
import { Refusal } from './refusal.ts';

/**
 * A request that changes something comes from a page of ours and is JSON. Browsers let no page forge Origin and Sec-Fetch-Site; a form of another
 * port of this host would arrive as same-site, which is not enough.
 */
export function refuseForeign(origin: string, { headers, method }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
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
