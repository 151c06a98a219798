import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { secretPattern } from '@tenantscope/store/api-key';

const acceptable = /^[A-Za-z0-9._-]{1,64}$/;
const given = new WeakMap<IncomingMessage, string>();

/** The id of a request: the client's X-Request-Id if well-formed and no key, else a generated one; the same on every call. */
export function getRequestId(request: IncomingMessage): string {
  let id = given.get(request);
  if (id === undefined) {
    const own = request.headers['x-request-id'];
    id = typeof own === 'string' && acceptable.test(own) && !secretPattern.test(own) ? own : randomUUID();
    given.set(request, id);
  }
  return id;
}
