import { ApiError } from '@tenantscope/contract';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { compress } from './compress.ts';
import { createDoor } from './door.ts';
import { jsonType, logFailure, toApiError } from './failure.ts';
import { bodyMaxBytes, idMaxLength, type Patience, patience as usualPatience } from './limits.ts';
import { serveTools } from './mcp/route.ts';
import { refuseUnparsed } from './refuse-socket.ts';
import { requestIdOf } from './request-id.ts';
import { serveRest } from './rest.ts';
import type { Service } from './service.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: string;
  }
}

export interface App {
  readonly fastify: FastifyInstance;
  /** From now on every answer asks its caller to connect anew, so that closing waits for nobody. */
  drain(): void;
}

/** The public side, not yet listening. */
export function buildApp(service: Service, patience: Patience = usualPatience): App {
  let draining = false;
  const fastify = Fastify({
    serverFactory: (routes) => createDoor(routes, patience),
    clientErrorHandler: refuseUnparsed,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    loggerInstance: service.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    requestIdHeader: false,
    trustProxy: service.trustedProxies.length > 0 ? [...service.trustedProxies] : false,
    bodyLimit: bodyMaxBytes,
    routerOptions: { maxParamLength: idMaxLength, querystringParser: () => ({}) },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  });
  fastify.removeAllContentTypeParsers();
  fastify.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  fastify.setNotFoundHandler((request, reply) =>
    sendError(
      new ApiError('NOT_FOUND', 'There is no such route. The OpenAPI description lists all of them.'),
      request,
      reply,
    ),
  );
  fastify.addHook('onSend', async (request, reply, payload) => {
    if (draining) reply.header('Connection', 'close');
    reply.header('Vary', 'Accept-Encoding');
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
    const { body, coding } = await compress(payload, request.headers['accept-encoding']);
    if (coding) reply.header('Content-Encoding', coding);
    return body;
  });
  fastify.addHook('onResponse', async (request, reply) => account(service, request, reply));
  serveRest(fastify, service);
  serveTools(fastify, service);
  return {
    fastify,
    drain() {
      draining = true;
    },
  };
}

function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toApiError(thrown);
  logFailure(request.log, error);
  // What of the request's body is not read must not be taken for the next request.
  if (request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined)
    reply.header('Connection', 'close');
  return reply
    .status(error.status)
    .headers(error.headers)
    .type(jsonType)
    .send(JSON.stringify(error.body(requestIdOf(request.raw))));
}

function account({ observations, usage, log }: Service, request: FastifyRequest, reply: FastifyReply): void {
  const operation = request.routeOptions.config.operation ?? 'none';
  const seconds = reply.elapsedTime / 1000;
  usage.count(request, reply.statusCode);
  observations.requests.inc({ operation, method: request.method, status: reply.statusCode });
  observations.seconds.observe({ operation }, seconds);
  log.debug(
    { requestId: request.id, operation, method: request.method, status: reply.statusCode, seconds },
    'answered',
  );
}
