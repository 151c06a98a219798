import type { ConsoleStore, Role, Session } from '@tenantscope/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Console } from './console.ts';
import { Refusal } from './refusal.ts';

/** What a route may use: who asks, and what was asked, read and checked. */
export interface Visit<Body> {
  readonly console: Console;
  readonly store: ConsoleStore;
  readonly session: Session;
  readonly body: Body;
  /** Of the path and of the query string, by name. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** One request the console answers, below /console/api. Tests loop over these. */
export interface Route<Body = unknown> {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  /** Who may ask. */
  readonly roles: readonly Role[];
  readonly body?: z.ZodType<Body>;
  /** Whether the person must have proved who it is a short while ago. */
  readonly isDangerous?: (body: Body) => boolean;
  readonly answer: (visit: Visit<Body>) => Promise<unknown>;
}

export const everybody: readonly Role[] = ['admin', 'officer', 'viewer'];

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id in the path; what is none names nothing. */
export function guidOf({ id = '' }: Readonly<Record<string, string>>, otherwise: string): string {
  if (!guid.test(id)) throw new Refusal('NOT_FOUND', otherwise);
  return id;
}

export function route<Body = undefined>(declared: Route<Body>): Route {
  return declared as unknown as Route;
}
