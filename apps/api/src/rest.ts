import { METHODS } from 'node:http';
import {
  ApiError,
  evidenceKeysPath,
  type GivenParameter,
  type OperationName,
  type OperationNamed,
  openApi,
  operations,
  refuseParameters,
  retiredPaths,
} from '@tenantscope/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { recognise, requireAcceptance, spend } from './admit.ts';
import { tenantSelector } from './authenticate.ts';
import { selectTenant } from './caller.ts';
import { jsonType } from './failure.ts';
import { hangUpOf } from './hang-up.ts';
import { invoke } from './invoke.ts';
import { bodyMaxBytes, linkMaxLength } from './limits.ts';
import { parametersOf } from './query-string.ts';
import { methodNotAllowed } from './refuse-socket.ts';
import type { Service } from './service.ts';

/** Where the operations are served; the OpenAPI description says the same as part of the public address. */
export const basePath = '/api/v1';

/** A GET route per operation, 405 for every other method, the description of it all, and where to go from what is retired. */
export function serveRest(app: FastifyInstance, service: Service): void {
  for (const method of METHODS)
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT') app.addHttpMethod(method);
  for (const operation of operations) {
    const path = basePath + operation.path.replace('{id}', ':id');
    route(app, path, operation.name, (request, reply) => answer(service, operation, request, reply));
  }
  for (const [path, successor] of Object.entries(retiredPaths)) retire(app, basePath + path, successor);
  const description = JSON.stringify(openApi(operations, service.publicUrl));
  route(app, `${basePath}/openapi.json`, 'openapi', async (request, reply) => {
    refuseParameters(parametersOf(request.raw.url ?? ''));
    return reply.type(jsonType).send(description);
  });
  const keys = JSON.stringify(service.evidenceKeys);
  route(app, basePath + evidenceKeysPath, 'evidence_keys', async (request, reply) => {
    refuseParameters(parametersOf(request.raw.url ?? ''));
    return reply.type(jsonType).send(keys);
  });
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

function route(app: FastifyInstance, url: string, operation: string, handler: Handler): void {
  const config = { operation };
  app.route({ method: 'GET', url, config, handler });
  const others = app.supportedMethods.filter((method) => method !== 'GET' && method !== 'HEAD');
  const refuse = async () => {
    throw methodNotAllowed();
  };
  // Before the body is read: a large one must not change the answer.
  app.route({ method: others, url, config, onRequest: refuse, handler: refuse });
}

/** Like any route that does not exist, before the key is looked at. */
function retire(app: FastifyInstance, url: string, successor: string): void {
  const refuse = async () => {
    throw new ApiError('NOT_FOUND', `This route was retired. ${successor} answers in its place.`);
  };
  app.route({ method: app.supportedMethods, url, onRequest: refuse, handler: refuse });
}

/** One request, in the order the contract gives: body size, key, budget, representation, tenant; the rest is behind `invoke`. */
async function answer<Name extends OperationName>(
  service: Service,
  operation: OperationNamed<Name>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  refuseLargeBody(request);
  const parameters = parametersOf(request.raw.url ?? '');
  const key = await recognise(service, request, { parameters, listsTenants: operation.name === 'list_tenants' });
  await spend(service, key, reply);
  requireAcceptance(request);
  const caller = selectTenant(operation, key, tenantSelector(request.raw), () => hangUpOf(reply.raw));
  if (caller.tenant) reply.header('X-Tenant-Id', caller.tenant.id);
  const { id } = request.params as { id?: string };
  const { body, nextCursor } = await invoke(service.handlers, operation, caller, () => given(request, parameters), id);
  const link = nextCursor && `<${service.publicUrl}${operation.path}?cursor=${nextCursor}>; rel="next"`;
  if (link && link.length <= linkMaxLength) reply.header('Link', link);
  return reply.type(jsonType).send(body);
}

function given(request: FastifyRequest, parameters: readonly GivenParameter[]): readonly GivenParameter[] {
  if (hasBody(request))
    throw new ApiError('INVALID_PARAMETER', 'A GET request has no body. Send parameters in the query string.', [
      { parameter: 'body', reason: 'no request has a body' },
    ]);
  return parameters;
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function refuseLargeBody({ headers }: FastifyRequest): void {
  if (Number(headers['content-length'] ?? 0) > bodyMaxBytes)
    throw new ApiError(
      'PAYLOAD_TOO_LARGE',
      `The request body is larger than ${bodyMaxBytes} bytes. No request needs one.`,
    );
}
