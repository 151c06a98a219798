import type { ConsoleStore, Session } from '@tenantscope/store/console';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import type { PublicRoute, Route } from '../../api/route.ts';
import type { Console } from '../console.ts';
import { HttpError } from './http-error.ts';

type Schema = z.ZodMiniType;
type Result<Output> = Output extends Schema ? z.input<Output> : FastifyReply;

/** A request without a session, its input parsed. */
export interface PublicRequestContext<Input> {
  readonly console: Console;
  readonly input: Input;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A request of a signed-in member, its input parsed. */
export interface RequestContext<Input> extends PublicRequestContext<Input> {
  readonly store: ConsoleStore;
  readonly session: Session;
}

export interface Handler {
  readonly route: Route;
  respond(context: RequestContext<unknown>): Promise<unknown>;
}

export interface PublicHandler {
  readonly route: PublicRoute;
  /** Throws NOT_FOUND where the endpoint is disabled; called before the input is parsed. */
  requireEnabled(console: Console, request: FastifyRequest): void;
  respond(context: PublicRequestContext<unknown>): Promise<unknown>;
}

/** Implements a declared route; input and output have the types of its schemas. */
export function handle<Input extends Schema, Output extends Schema | 'stream'>(
  route: Route<Input, Output>,
  respond: (context: RequestContext<z.output<Input>>) => Promise<Result<Output>>,
): Handler {
  return { route, respond: (context) => respond(context as RequestContext<z.output<Input>>) };
}

export function handlePublic<Input extends Schema, Output extends Schema | 'stream'>(
  route: PublicRoute<Input, Output>,
  respond: (context: PublicRequestContext<z.output<Input>>) => Promise<Result<Output>>,
  requireEnabled: PublicHandler['requireEnabled'] = () => {},
): PublicHandler {
  return {
    route,
    requireEnabled,
    respond: (context) => respond(context as PublicRequestContext<z.output<Input>>),
  };
}

/** Throws INVALID_PARAMETER that names the first member that does not match. */
export function parseInput({ method, input }: PublicRoute, request: FastifyRequest): unknown {
  const given = method === 'GET' ? request.query : request.body;
  const params = request.params as object;
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  const parsed = input.safeParse(isObject ? { ...given, ...params } : given);
  const repeated = method !== 'GET' && isObject ? Object.keys(params).filter((name) => Object.hasOwn(given, name)) : [];
  if (parsed.success && repeated.length === 0) return parsed.data;
  const details = [
    ...repeated.map((name) => ({ parameter: '', reason: `Unrecognized key: "${name}"` })),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => ({ parameter: path.join('.'), reason: message })),
  ];
  throw new HttpError('INVALID_PARAMETER', `${details[0]?.parameter || 'The body'}: ${details[0]?.reason}.`, details);
}

/** The response as declared: a member that the schema lacks is not sent. */
export const serializeOutput = ({ output }: PublicRoute, result: unknown): unknown =>
  output === 'stream' ? result : output.parse(result);

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Throws NOT_FOUND with this message where a path holds no id. */
export function requireGuid(id: string, message: string): string {
  if (!guid.test(id)) throw new HttpError('NOT_FOUND', message);
  return id;
}
