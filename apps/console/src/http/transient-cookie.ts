import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Seal } from '../seal.ts';
import { readCookie } from './session-cookie.ts';

/** Something a browser carries for some minutes without being able to read or change it. */
export interface TransientCookie<Value> {
  read(request: FastifyRequest): Value | null;
  write(reply: FastifyReply, value: Value): void;
  clear(reply: FastifyReply): void;
}

export interface TransientCookieOptions<Value> {
  readonly name: string;
  readonly path: string;
  readonly minutes: number;
  readonly shape: z.ZodType<Value>;
}

export function createTransientCookie<Value>(
  origin: string,
  seal: Seal,
  { name: plainName, path, minutes, shape }: TransientCookieOptions<Value>,
): TransientCookie<Value> {
  const isSecure = origin.startsWith('https:');
  // As with the session: bound to this host, which a path would not go with.
  const name = isSecure ? `__Host-${plainName}` : plainName;
  // Lax and not Strict: an identity provider leads back here.
  const attributes = `Path=${isSecure ? '/' : path}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read(request) {
      const opened = seal.open(readCookie(request, name) ?? '', name);
      if (opened === null) return null;
      const { endsAtMs, value } = JSON.parse(opened) as { endsAtMs: number; value: unknown };
      return endsAtMs > Date.now() ? (shape.safeParse(value).data ?? null) : null;
    },
    write(reply, value) {
      const sealed = seal.close(JSON.stringify({ endsAtMs: Date.now() + minutes * 60_000, value }), name);
      reply.header('Set-Cookie', `${name}=${sealed}; ${attributes}; Max-Age=${minutes * 60}`);
    },
    clear: (reply) => void reply.header('Set-Cookie', `${name}=; ${attributes}; Max-Age=0`),
  };
}
