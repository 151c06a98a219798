import type { FastifyRequest } from 'fastify';
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
