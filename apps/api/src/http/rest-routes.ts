import { METHODS } from 'node:http';
import {
  ApiError,
  buildOpenApi,
  evidenceKeysPath,
  operations,
  rejectParameters,
  retiredPaths,
} from '@tenantscope/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasCredentials } from '../auth/api-key-header.ts';
import { chargeRejectedRequest } from '../auth/request-checks.ts';
import type { Dependencies } from '../dependencies.ts';
import { bodyMaxBytes } from '../limits.ts';
import { jsonContentType, toApiError } from './error-response.ts';
import { handleOperation } from './operation-request.ts';
import { parseQueryParameters } from './query-string.ts';
import { readBody } from './request-body.ts';
import { methodNotAllowed } from './socket-errors.ts';

/** The path prefix of all operations; the OpenAPI document has it as part of the server URL. */
export const basePath = '/api/v1';

/** Registers a GET route per operation, 405 for other methods, the OpenAPI document, the evidence keys and the retired paths. */
export function registerRestRoutes(app: FastifyInstance, service: Dependencies): void {
  for (const method of METHODS)
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT') app.addHttpMethod(method);
  for (const operation of operations) {
    const path = basePath + operation.path.replace('{id}', ':id');
    registerGetRoute(app, path, operation.name, (request, reply) =>
      handleOperation(service, operation, request, reply),
    );
  }
  for (const [path, successor] of Object.entries(retiredPaths))
    registerUnknownRoute(app, service, basePath + path, `This route was removed. Use ${successor} instead.`);
  app.setNotFoundHandler(handleUnknownRoute(service, 'Route not found. The OpenAPI document lists all routes.'));
  const description = JSON.stringify(buildOpenApi(operations, service.publicUrl));
  registerGetRoute(app, `${basePath}/openapi.json`, 'openapi', async (request, reply) => {
    await readBody(request.raw, bodyMaxBytes);
    rejectParameters(parseQueryParameters(request.raw.url ?? ''));
    return reply.type(jsonContentType).send(description);
  });
  registerGetRoute(app, basePath + evidenceKeysPath, 'evidence_keys', async (request, reply) => {
    await readBody(request.raw, bodyMaxBytes);
    rejectParameters(parseQueryParameters(request.raw.url ?? ''));
    return reply.type(jsonContentType).send(JSON.stringify(await service.readPublishedKeys()));
  });
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

function registerGetRoute(app: FastifyInstance, url: string, operation: string, handler: Handler): void {
  const config = { operation };
  // Not the HEAD route that Fastify adds: it sends a Content-Length of 0 with 304.
  app.route({ method: ['GET', 'HEAD'], url, config, handler });
  const others = app.supportedMethods.filter((method) => method !== 'GET' && method !== 'HEAD');
  const reject = async () => {
    throw methodNotAllowed();
  };
  // Before the body is read: a large body must not change the response.
  app.route({ method: others, url, config, onRequest: reject, handler: reject });
}

function registerUnknownRoute(app: FastifyInstance, service: Dependencies, url: string, message: string): void {
  const reject = handleUnknownRoute(service, message);
  app.route({ method: app.supportedMethods, url, onRequest: reject, handler: reject });
}

/** Responds 404 with and without a key. A key counts its use; an unknown one counts as everywhere, so that no route tells whether it exists. */
function handleUnknownRoute(service: Dependencies, message: string): Handler {
  return async (request, reply) => {
    const { method, url = '' } = request.raw;
    // A larger body is not read: the response closes the connection.
    if (method === 'GET' || method === 'HEAD') await readBody(request.raw, bodyMaxBytes).catch(ignoreLargeBody);
    // MCP clients look for these without a key at every connect.
    if (!url.startsWith('/.well-known/') && hasCredentials(request.raw))
      await chargeRejectedRequest(service, request, reply);
    throw new ApiError('NOT_FOUND', message);
  };
}

function ignoreLargeBody(error: unknown): void {
  if (toApiError(error).status !== 413) throw error;
}
