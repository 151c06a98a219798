import { activeRecorder, connectionTimeouts } from '@tenantscope/runtime';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { rejectApiKeyInUrl } from './auth/request-checks.ts';
import type { Dependencies } from './dependencies.ts';
import { createAccessLogEntry, disconnectedStatus } from './http/access-log.ts';
import { compress } from './http/compression.ts';
import { addCoding } from './http/entity-tag.ts';
import { jsonContentType, logRefusedAccess, logServerError, toApiError } from './http/error-response.ts';
import { createHttpServer, type HttpServerOptions } from './http/http-server.ts';
import { hasBody } from './http/request-body.ts';
import { getRequestId } from './http/request-id.ts';
import { traceRequests } from './http/request-traces.ts';
import type { RequestedWait } from './http/requested-wait.ts';
import { registerRestRoutes } from './http/rest-routes.ts';
import { handleParserError } from './http/socket-errors.ts';
import { bodyMaxBytes, connectionsMax, idMaxLength } from './limits.ts';
import { registerMcpRoute } from './mcp/route.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: string;
  }
  interface FastifyRequest {
    /** The operation of a tool call. */
    calledOperation: string | null;
    /** The status of its error: that of the response to the equivalent REST request. The HTTP response is 200. */
    calledStatus: number | null;
    /** Null unless it waits for rows. */
    requestedWait: RequestedWait | null;
  }
}

export interface App {
  readonly fastify: FastifyInstance;
  /** From now on every response closes its connection, so that shutdown does not wait for idle clients. */
  drain(): void;
}

/** Creates the public HTTP application without listening. */
export function buildApp(
  service: Dependencies,
  { timeouts = connectionTimeouts, maxConnections = connectionsMax }: Partial<Omit<HttpServerOptions, 'onDrop'>> = {},
): App {
  let draining = false;
  const onDrop = () => service.metrics.droppedConnections.inc();
  const fastify = Fastify({
    serverFactory: (routes) => createHttpServer(routes, { timeouts, maxConnections, onDrop }),
    clientErrorHandler: handleParserError,
    frameworkErrors: (error, request, reply) => void replyWithError(service, error, request, reply),
    loggerInstance: service.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: getRequestId,
    requestIdHeader: false,
    trustProxy: service.trustedProxies.length > 0 ? [...service.trustedProxies] : false,
    bodyLimit: bodyMaxBytes,
    routerOptions: { maxParamLength: idMaxLength, querystringParser: () => ({}) },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  });
  fastify.decorateRequest('calledOperation', null);
  fastify.decorateRequest('calledStatus', null);
  fastify.decorateRequest('requestedWait', null);
  fastify.removeAllContentTypeParsers();
  fastify.setErrorHandler((error, request, reply) => replyWithError(service, error, request, reply));
  const spans = activeRecorder();
  if (spans !== null) traceRequests(fastify, spans);
  // Not onResponse, which does not run for a response that is not sent completely.
  fastify.addHook('onRequest', async (request, reply) => {
    let status = disconnectedStatus;
    reply.raw.once('finish', () => {
      status = reply.statusCode;
    });
    reply.raw.once('close', () => recordResponse(service, request, reply, status));
  });
  fastify.addHook('onRequest', (request) => rejectApiKeyInUrl(service, request));
  fastify.addHook('onSend', async (request, reply, payload) => {
    if (draining) reply.header('Connection', 'close');
    if (!reply.hasHeader('Vary')) reply.header('Vary', 'Accept-Encoding');
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
    if (reply.hasHeader('Content-Encoding')) return payload;
    const { body, encoding: coding } = await compress(payload, request.headers['accept-encoding']);
    if (coding) {
      reply.header('Content-Encoding', coding);
      const tag = reply.getHeader('ETag');
      if (typeof tag === 'string') reply.header('ETag', addCoding(tag, coding));
    }
    return body;
  });
  registerRestRoutes(fastify, service);
  registerMcpRoute(fastify, service);
  return {
    fastify,
    drain() {
      draining = true;
    },
  };
}

function replyWithError(
  { keyUsage }: Dependencies,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = toApiError(thrown);
  logServerError(request.log, error);
  logRefusedAccess(request, error, keyUsage.findKey(request));
  // The rest of the body is not read, however much it is.
  if (hasBody(request.raw) && !request.raw.complete) reply.header('Connection', 'close');
  return reply
    .status(error.status)
    .headers(error.headers)
    .type(jsonContentType)
    .send(JSON.stringify(error.body(getRequestId(request.raw))));
}

function recordResponse(service: Dependencies, request: FastifyRequest, reply: FastifyReply, status: number): void {
  const { metrics, keyUsage, log } = service;
  const operation = request.routeOptions.config.operation ?? 'none';
  const seconds = (reply.elapsedTime - (request.requestedWait?.totalMs() ?? 0)) / 1000;
  keyUsage.countResponse(request, request.calledStatus ?? reply.statusCode);
  const counted = status === disconnectedStatus ? status : (request.calledStatus ?? status);
  metrics.requests.inc({ operation, method: request.method, status: counted });
  metrics.seconds.observe({ operation }, seconds);
  const level = service.logsAccess ? 'info' : 'debug';
  if (log.isLevelEnabled(level))
    log[level](createAccessLogEntry(request, reply, status, keyUsage.findKey(request)), 'request completed');
}
