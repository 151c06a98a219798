import { METHODS } from 'node:http';
import {
  ApiError,
  buildOpenApi,
  evidenceKeysPath,
  listRepresentations,
  type OperationName,
  type OperationNamed,
  operations,
  rejectParameters,
  representations,
  retiredPaths,
} from '@tenantscope/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasCredentials } from '../auth/api-key-header.ts';
import { readTenantSelector } from '../auth/authentication.ts';
import { selectTenant } from '../auth/caller.ts';
import {
  authenticateRequest,
  chargeRejectedRequest,
  consumeRateLimit,
  jsonMediaType,
  requireAcceptableMediaType,
} from '../auth/request-checks.ts';
import type { Dependencies } from '../dependencies.ts';
import { convertBody } from '../documents/representations.ts';
import { invoke } from '../invoke.ts';
import { bodyMaxBytes, linkMaxLength } from '../limits.ts';
import { abortOnClientDisconnect } from './client-disconnect.ts';
import { jsonContentType, toApiError } from './error-response.ts';
import { toNdjson } from './ndjson.ts';
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
  app.route({ method: 'GET', url, config, handler });
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

/** Reads the body of a GET request, which some clients send, and ignores it. Throws PAYLOAD_TOO_LARGE; that costs a key a request, too. */
async function ignoreBody(service: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  try {
    await readBody(request.raw, bodyMaxBytes);
  } catch (error) {
    if (toApiError(error).status === 413) await chargeRejectedRequest(service, request, reply);
    throw error;
  }
}

/** Handles one request in the order of the contract: body size, key, rate limit, media type, tenant; `invoke` does the rest. */
async function handleOperation<Name extends OperationName>(
  service: Dependencies,
  operation: OperationNamed<Name>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  await ignoreBody(service, request, reply);
  const key = await authenticateRequest(service, request, operation.name === 'list_tenants');
  await consumeRateLimit(service, key, reply);
  const offered = listRepresentations(operation).map((name) => representations[name].mediaType);
  const mediaType = requireAcceptableMediaType(request, offered);
  const caller = selectTenant(operation, key, readTenantSelector(request.raw), () =>
    abortOnClientDisconnect(reply.raw),
  );
  if (caller.tenant) reply.header('X-Tenant-Id', caller.tenant.id);
  const { id } = request.params as { id?: string };
  const { body, nextCursor } = await invoke(
    service.handlers,
    operation,
    caller,
    () => parseQueryParameters(request.raw.url ?? ''),
    id,
  );
  const path = operation.path.replace('{id}', () => encodeURIComponent(id ?? ''));
  const link = nextCursor && `<${service.publicUrl}${path}?cursor=${nextCursor}>; rel="next"`;
  if (link && link.length <= linkMaxLength) reply.header('Link', link);
  if (offered.length > 0) reply.header('Vary', 'Accept, Accept-Encoding');
  if (mediaType === jsonMediaType) return reply.type(jsonContentType).send(body);
  const converted =
    mediaType === representations.ndjson.mediaType ? toNdjson(body) : convertBody(operation.name, mediaType, body);
  return reply.type(`${mediaType}; charset=utf-8`).send(converted);
}
