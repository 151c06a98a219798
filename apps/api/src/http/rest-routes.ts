import { METHODS } from 'node:http';
import {
  ApiError,
  buildOpenApi,
  evidenceKeysPath,
  type OperationName,
  type OperationNamed,
  operations,
  type RawParameter,
  rejectParameters,
  retiredPaths,
} from '@tenantscope/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readTenantSelector } from '../auth/authentication.ts';
import { selectTenant } from '../auth/caller.ts';
import { authenticateRequest, consumeRateLimit, requireAcceptableMediaType } from '../auth/request-checks.ts';
import type { Dependencies } from '../dependencies.ts';
import { invoke } from '../invoke.ts';
import { bodyMaxBytes, linkMaxLength } from '../limits.ts';
import { abortOnClientDisconnect } from './client-disconnect.ts';
import { jsonContentType } from './error-response.ts';
import { parseQueryParameters } from './query-string.ts';
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
  for (const [path, successor] of Object.entries(retiredPaths)) registerRetiredPath(app, basePath + path, successor);
  const description = JSON.stringify(buildOpenApi(operations, service.publicUrl));
  registerGetRoute(app, `${basePath}/openapi.json`, 'openapi', async (request, reply) => {
    rejectParameters(parseQueryParameters(request.raw.url ?? ''));
    return reply.type(jsonContentType).send(description);
  });
  const keys = JSON.stringify(service.publishedKeys);
  registerGetRoute(app, basePath + evidenceKeysPath, 'evidence_keys', async (request, reply) => {
    rejectParameters(parseQueryParameters(request.raw.url ?? ''));
    return reply.type(jsonContentType).send(keys);
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

/** Responds 404 before authentication, like a route that does not exist, and names the successor. */
function registerRetiredPath(app: FastifyInstance, url: string, successor: string): void {
  const reject = async () => {
    throw new ApiError('NOT_FOUND', `This route was removed. Use ${successor} instead.`);
  };
  app.route({ method: app.supportedMethods, url, onRequest: reject, handler: reject });
}

/** Handles one request in the order of the contract: body size, key, rate limit, media type, tenant; `invoke` does the rest. */
async function handleOperation<Name extends OperationName>(
  service: Dependencies,
  operation: OperationNamed<Name>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  rejectLargeBody(request);
  const parameters = parseQueryParameters(request.raw.url ?? '');
  const key = await authenticateRequest(service, request, {
    parameters,
    listsTenants: operation.name === 'list_tenants',
  });
  await consumeRateLimit(service, key, reply);
  requireAcceptableMediaType(request);
  const caller = selectTenant(operation, key, readTenantSelector(request.raw), () =>
    abortOnClientDisconnect(reply.raw),
  );
  if (caller.tenant) reply.header('X-Tenant-Id', caller.tenant.id);
  const { id } = request.params as { id?: string };
  const { body, nextCursor } = await invoke(
    service.handlers,
    operation,
    caller,
    () => requireNoBody(request, parameters),
    id,
  );
  const link = nextCursor && `<${service.publicUrl}${operation.path}?cursor=${nextCursor}>; rel="next"`;
  if (link && link.length <= linkMaxLength) reply.header('Link', link);
  return reply.type(jsonContentType).send(body);
}

function requireNoBody(request: FastifyRequest, parameters: readonly RawParameter[]): readonly RawParameter[] {
  if (hasBody(request))
    throw new ApiError(
      'INVALID_PARAMETER',
      'A GET request must not have a body. Send parameters in the query string.',
      [{ parameter: 'body', reason: 'a request must not have a body' }],
    );
  return parameters;
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function rejectLargeBody({ headers }: FastifyRequest): void {
  if (Number(headers['content-length'] ?? 0) > bodyMaxBytes)
    throw new ApiError(
      'PAYLOAD_TOO_LARGE',
      `The request body is larger than ${bodyMaxBytes} bytes. No request needs one.`,
    );
}
