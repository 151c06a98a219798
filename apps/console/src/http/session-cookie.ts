import { maxSessionHours } from '@tenantscope/store/console';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * The cookie that names a session. Behind https its prefix binds it to this host and to secure connections; browsers refuse that prefix over plain
 * http, which exists on loopback only.
 */
export interface SessionCookie {
  read(request: FastifyRequest): string | null;
  write(reply: FastifyReply, secret: string): void;
  clear(reply: FastifyReply): void;
}

export function createSessionCookie(origin: string): SessionCookie {
  const isSecure = origin.startsWith('https:');
  const name = isSecure ? '__Host-sid' : 'sid';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read(request) {
      const value = readCookie(request, name);
      return value !== null && /^[\w-]{43}$/.test(value) ? value : null;
    },
    write: (reply, secret) =>
      void reply.header('Set-Cookie', `${name}=${secret}; ${attributes}; Max-Age=${maxSessionHours * 3_600}`),
    clear: (reply) => void reply.header('Set-Cookie', `${name}=; ${attributes}; Max-Age=0`),
  };
}

/** Null if there is no cookie of this name, or more than one: then another site of this host has set one. */
export function readCookie(request: FastifyRequest, name: string): string | null {
  const values = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? (values[0] ?? null) : null;
}
