import { randomUUID } from 'node:crypto';
import { connectionTimeouts } from '@tenantscope/runtime';
import { QueryTimedOut, StoreUnavailable } from '@tenantscope/store/connection';
import type { Session } from '@tenantscope/store/console';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Console } from '../console.ts';
import { handlers } from '../handlers.ts';
import { publicHandlers } from '../sign-in/handlers.ts';
import { serveSingleSignOn } from '../sign-in/oidc.ts';
import { sendCompressed } from './compression.ts';
import { constraintMessage } from './constraint-message.ts';
import { type Handler, type PublicHandler, parseInput, serializeOutput } from './handler.ts';
import { errorBody, HttpError } from './http-error.ts';
import { createHttpServer } from './http-server.ts';
import { handleForeignHost, isApiRequest, rejectCrossOrigin } from './origin.ts';
import { servePages } from './pages.ts';
import { securityHeaders } from './security-headers.ts';
import { rejectUnsafeText } from './validate-text.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in; null before that is known. */
    member: Pick<Session, 'memberId' | 'role'> | null;
  }
}

const apiPrefix = '/console/api';
const bodyMaxBytes = 65_536;
/** After this long some requests require another authentication. */
const recentMs = 15 * 60_000;

/** The default: no cache stores a response. */
const noStore = { 'Cache-Control': 'no-store' };

/** The console's HTTP server, not yet listening. */
export async function buildServer(console: Console): Promise<FastifyInstance> {
  const headers = securityHeaders(console.origin);
  const fastify = Fastify({
    serverFactory: (routes) => createHttpServer(routes, { timeouts: connectionTimeouts, headers }),
    // The server responds to them itself.
    clientErrorHandler: () => {},
    loggerInstance: console.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: console.trustedProxies.length > 0 ? [...console.trustedProxies] : false,
    bodyLimit: bodyMaxBytes,
    // The audit log names requests by it: it must be unique across processes and days.
    genReqId: () => randomUUID(),
    // A malformed URL reaches no hook.
    frameworkErrors: (error, request, reply) =>
      void sendError(toHttpError(error, request), request, reply.headers({ ...headers, ...noStore })),
  });
  fastify.addHook('onRequest', async (request, reply) => {
    reply.headers(headers);
    if (handleForeignHost(console.origin, request, reply)) return reply;
    rejectCrossOrigin(console.origin, request);
  });
  fastify.addHook('onSend', async (_, reply) => {
    if (!reply.hasHeader('Cache-Control') && !reply.raw.hasHeader('Cache-Control')) reply.headers(noStore);
  });
  fastify.addHook('onResponse', async (request, reply) =>
    console.metrics.countResponse(request.method, reply.statusCode),
  );
  fastify.addHook('preHandler', async (request) => {
    if (isApiRequest(request)) rejectUnsafeText(request);
  });
  fastify.decorateRequest('member', null);
  fastify.setErrorHandler((error, request, reply) => {
    const refusal = toHttpError(error, request);
    if (refusal.code === 'FORBIDDEN') logRefusedAccess(request);
    return sendError(refusal, request, reply);
  });
  for (const handler of handlers) serve(fastify, console, handler);
  for (const handler of publicHandlers) servePublic(fastify, console, handler);
  serveSingleSignOn(fastify, console);
  await servePages(fastify, console);
  return fastify;
}

function serve(fastify: FastifyInstance, console: Console, { route, respond }: Handler): void {
  fastify.route({
    method: route.method,
    url: apiPrefix + route.path,
    bodyLimit: route.bodyMaxBytes ?? bodyMaxBytes,
    handler: async (request, reply) => {
      const secret = console.cookie.read(request);
      // Background requests of an unattended screen do not keep its session alive.
      const isUserActive = request.headers['x-user-inactive'] === undefined;
      const session = secret === null ? null : await console.store.sessions.find(secret, isUserActive);
      if (session === null) throw await notSignedIn(console, secret);
      request.member = session;
      if (!route.roles.includes(session.role))
        throw new HttpError(
          'FORBIDDEN',
          `This requires the role ${route.roles.join(' or ')}; yours is ${session.role}.`,
        );
      const input = parseInput(route, request);
      if (route.requiresReauthentication?.(input) && Date.now() - Date.parse(session.authenticatedAt) > recentMs)
        throw new HttpError('REAUTHENTICATE', 'Confirm your identity: authenticate again, then repeat this.');
      const context = { console, store: console.store, session, input, request, reply };
      const result = await respond(context).catch((error: unknown) => {
        // The transaction may have committed before its result was lost.
        throw route.method !== 'GET' && isDatabaseUnavailable(error)
          ? new HttpError('SERVICE_UNAVAILABLE', outcomeUnknown)
          : error;
      });
      if (reply.sent) return reply;
      const body = serializeOutput(route, result);
      return route.method === 'GET' && route.output !== 'stream'
        ? sendCompressed(request, reply, body)
        : reply.send(body);
    },
  });
}

function servePublic(fastify: FastifyInstance, console: Console, handler: PublicHandler): void {
  const { route, respond } = handler;
  fastify.route({
    method: route.method,
    url: apiPrefix + route.path,
    handler: async (request, reply) => {
      handler.requireEnabled(console, request);
      const result = await respond({ console, input: parseInput(route, request), request, reply });
      return reply.sent ? reply : reply.send(serializeOutput(route, result));
    },
  });
}

async function notSignedIn({ store }: Console, secret: string | null): Promise<HttpError> {
  return secret !== null && (await store.sessions.wasEnded(secret))
    ? new HttpError('SESSION_ENDED', 'This session was ended. Sign in again.')
    : new HttpError('NOT_SIGNED_IN', 'Sign in to continue.');
}

const isDatabaseUnavailable = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof QueryTimedOut;
const nothingChanged = 'The database does not respond. Nothing was changed; try again later.';
const outcomeUnknown =
  'The database does not respond. The change may or may not have been saved: check before you repeat it.';

function toHttpError(error: unknown, request: FastifyRequest): HttpError {
  if (error instanceof HttpError) return error;
  if (isDatabaseUnavailable(error)) return new HttpError('SERVICE_UNAVAILABLE', nothingChanged);
  const message = constraintMessage(error);
  if (message !== null) return new HttpError('FORBIDDEN', `${message}.`);
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  if (status >= 400 && status < 500) return new HttpError('INVALID_PARAMETER', 'The request could not be read.');
  request.log.error({ err: error }, 'console request failed; responding 500');
  return new HttpError('INTERNAL_ERROR', 'Internal error. Nothing was changed.');
}

/** Reads too, which the audit log does not contain. */
function logRefusedAccess(request: FastifyRequest): void {
  const { member, method, ip: address } = request;
  if (member === null) return;
  const { memberId, role } = member;
  const route = request.routeOptions.url;
  request.log.info({ memberId, role, method, route, address }, 'request refused; not permitted to the member');
}

function sendError(refusal: HttpError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.status(refusal.status).send(errorBody(refusal, request.id));
}
