import { randomUUID } from 'node:crypto';
import { QueryTimedOut, StoreUnavailable } from '@tenantscope/store';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Console } from './console.ts';
import { answerForeignHost, isAnswered, refuseForeign } from './origin.ts';
import { servePages } from './pages.ts';
import { policyHeaders } from './policy.ts';
import { Refusal } from './refusal.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';
import { serveSignIn } from './sign-in/routes.ts';
import { refuseUnfit } from './unfit.ts';

const bodyMaxBytes = 65_536;
/** After this long a dangerous act asks who it is once more. */
const recentMs = 15 * 60_000;

/** What is not said to last is kept by nobody. */
const unkept = { 'Cache-Control': 'no-store' };

/** The console's side, not yet listening. */
export async function buildServer(console: Console): Promise<FastifyInstance> {
  const headers = policyHeaders(console.origin);
  const fastify = Fastify({
    loggerInstance: console.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: console.trustedProxies.length > 0 ? [...console.trustedProxies] : false,
    bodyLimit: bodyMaxBytes,
    // The audit names requests by it: one of another day, or of another process, must not share it.
    genReqId: () => randomUUID(),
    // What is no address at all comes by no hook.
    frameworkErrors: (error, request, reply) =>
      void sendRefusal(refusalOf(error, request), request, reply.headers({ ...headers, ...unkept })),
  });
  fastify.addHook('onRequest', async (request, reply) => {
    reply.headers(headers);
    if (answerForeignHost(console.origin, request, reply)) return reply;
    refuseForeign(console.origin, request);
  });
  fastify.addHook('onSend', async (_, reply) => {
    if (!reply.hasHeader('Cache-Control') && !reply.raw.hasHeader('Cache-Control')) reply.headers(unkept);
  });
  fastify.addHook('preHandler', async (request) => {
    if (isAnswered(request)) refuseUnfit(request);
  });
  fastify.setErrorHandler((error, request, reply) => sendRefusal(refusalOf(error, request), request, reply));
  for (const route of routes) serve(fastify, console, route);
  serveSignIn(fastify, console);
  await servePages(fastify, console);
  return fastify;
}

function serve(fastify: FastifyInstance, console: Console, route: Route): void {
  fastify.route({
    method: route.method,
    url: `/console/api${route.path}`,
    handler: async (request, reply) => {
      const secret = console.cookie.read(request);
      // A screen that nobody sits at keeps asking; that does not keep its session alive.
      const isAttended = request.headers['x-unattended'] === undefined;
      const session = secret === null ? null : await console.store.sessions.find(secret, isAttended);
      if (session === null) throw await notSignedIn(console, secret);
      if (!route.roles.includes(session.role))
        throw new Refusal('FORBIDDEN', `This is for the role ${route.roles.join(' or ')}; yours is ${session.role}.`);
      const body = readBody(route, request.body);
      if (route.isDangerous?.(body) && Date.now() - Date.parse(session.authenticatedAt) > recentMs)
        throw new Refusal('REAUTHENTICATE', 'Confirm that it is you: sign in once more, then repeat this.');
      const parameters = { ...(request.query as object), ...(request.params as object) } as Record<string, string>;
      const visit = { console, store: console.store, session, body, parameters, request, reply };
      const answer = await route.answer(visit).catch((error: unknown) => {
        // The transaction may have ended well before its answer was lost.
        throw route.method !== 'GET' && isSilence(error) ? new Refusal('SERVICE_UNAVAILABLE', perhapsDone) : error;
      });
      return reply.sent ? reply : reply.send(answer ?? {});
    },
  });
}

async function notSignedIn({ store }: Console, secret: string | null): Promise<Refusal> {
  return secret !== null && (await store.sessions.wasEnded(secret))
    ? new Refusal('SESSION_ENDED', 'This session was ended. Sign in again.')
    : new Refusal('NOT_SIGNED_IN', 'Sign in to go on.');
}

function readBody(route: Route, given: unknown): unknown {
  if (route.body === undefined) return undefined;
  const read = route.body.safeParse(given);
  if (read.success) return read.data;
  const details = read.error.issues.map(({ path, message }) => ({ parameter: path.join('.'), reason: message }));
  throw new Refusal('INVALID_PARAMETER', `${details[0]?.parameter || 'The body'}: ${details[0]?.reason}.`, details);
}

const isSilence = (error: unknown): boolean => error instanceof StoreUnavailable || error instanceof QueryTimedOut;
const nothingDone = 'The database does not answer. Nothing was changed; try again in a moment.';
const perhapsDone = 'The database does not answer. Whether this was done is not known: look before you repeat it.';

function refusalOf(error: unknown, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error;
  if (isSilence(error)) return new Refusal('SERVICE_UNAVAILABLE', nothingDone);
  const law = lawOf(error);
  if (law !== null) return new Refusal('FORBIDDEN', `${law}.`);
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  if (status >= 400 && status < 500) return new Refusal('INVALID_PARAMETER', 'The request could not be read.');
  request.log.error({ err: error }, 'a request of the console failed');
  return new Refusal('INTERNAL_ERROR', 'Something went wrong on our side; nothing was changed.');
}

/** What the database refuses in words of ours, beside what the route looked at; other refusals of it are a mistake of ours. */
function lawOf(error: unknown): string | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ((cause as { code?: string }).code === '42501')
      return /^(permission denied|must be owner)/.test(cause.message) ? null : cause.message;
  return null;
}

export function sendRefusal(refusal: Refusal, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, message, details } = refusal;
  return reply.status(refusal.status).send({ error: { code, message, requestId: request.id, details } });
}
