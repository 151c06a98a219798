import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { ApiError, expandScopes, type Operation, operations } from '@tenantscope/contract';
import type { KeyRecord } from '@tenantscope/store/api-key';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readTenantSelector } from '../auth/authentication.ts';
import { resolveTenant } from '../auth/caller.ts';
import {
  applyRateLimit,
  authenticateAndCount,
  chargeRejectedRequest,
  requireAcceptableMediaType,
} from '../auth/request-checks.ts';
import type { Dependencies } from '../dependencies.ts';
import { abortOnClientDisconnect } from '../http/client-disconnect.ts';
import { jsonContentType, logRefusedAccess, logServerError, toApiError } from '../http/error-response.ts';
import { readBody } from '../http/request-body.ts';
import { getRequestId } from '../http/request-id.ts';
import { basePath } from '../http/rest-routes.ts';
import { bodyMaxBytes } from '../limits.ts';
import type { RateLimitStatus } from '../throttling/rate-limit-status.ts';
import { buildInstructions } from './instructions.ts';
import { JsonRpcError, jsonRpcCodes, unknownName } from './json-rpc-error.ts';
import { type ParsedMessage, parseMessage, type RequestId } from './json-rpc-message.ts';
import { frameResponse, responseMetadata, serializeError } from './json-rpc-response.ts';
import { capabilities, dispatchMessage, type McpHandlers } from './message-dispatch.ts';
import { serializePrompt, serializePromptList } from './prompts.ts';
import { negotiateVersion, servedVersions } from './protocol-version.ts';
import { serializeResource, serializeResourceList } from './resources.ts';
import { callTool } from './tool-call.ts';
import { serializeToolList } from './tool-list.ts';
import { serializeToolError, serializeToolResult } from './tool-result.ts';

/** The MCP endpoint: a POST carries one message and gets a JSON response; there are no sessions. */
export function registerMcpRoute(app: FastifyInstance, service: Dependencies): void {
  const url = `${basePath}/mcp`;
  const config = { operation: 'mcp' };
  const others = app.supportedMethods.filter((method) => method !== 'POST');
  const reject = async () => {
    throw new ApiError('METHOD_NOT_ALLOWED', 'The MCP endpoint has no streams and no sessions. Use POST.', undefined, {
      Allow: 'POST',
    });
  };
  app.route({ method: others, url, config, onRequest: reject, handler: reject });
  app.register(async (scope) => {
    scope.addContentTypeParser('application/json', (request: FastifyRequest) => readBody(request.raw, bodyMaxBytes));
    scope.setErrorHandler(async (error, request, reply) => {
      const { status } = toApiError(error);
      if (status === 413 || status === 415) await chargeRejectedRequest(service, request, reply);
      throw error;
    });
    scope.route({
      method: 'POST',
      url,
      config,
      onRequest: async (request) => {
        rejectForeignOrigin(service, request);
        rejectOtherEncodings(request);
      },
      handler: (request, reply) => handleMessage(service, request, reply),
    });
  });
}

/** Runs before the body is read. DNS rebinding could direct a page of a foreign origin to this endpoint. */
function rejectForeignOrigin({ allowedMcpOrigins }: Dependencies, { headers: { origin } }: FastifyRequest): void {
  if (origin !== undefined && !allowedMcpOrigins.includes(origin))
    throw new ApiError(
      'ORIGIN_NOT_ALLOWED',
      'This origin is not allowed to call the MCP endpoint. Call it from a server.',
    );
}

/** Messages are read as UTF-8, and not decompressed. */
function rejectOtherEncodings({ headers }: FastifyRequest): void {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = headers;
  const charset = /;\s*charset="?([^";\s]*)/i.exec(type)?.[1] ?? 'utf-8';
  if (coding.toLowerCase() !== 'identity' || charset.toLowerCase() !== 'utf-8')
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The media type is not supported. Send the message as uncompressed application/json in UTF-8.',
    );
}

/** Handles one POST in the order of the contract: key, rate limit, message. A tool call that fails after authentication returns the error as its result. */
async function handleMessage(service: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const message = parseMessage((request.body as Buffer | undefined) ?? Buffer.alloc(0));
  const called = calledTool(message);
  request.calledOperation = operationNamed(called)?.name ?? null;
  try {
    const { key, rateLimit } = await authenticateAndCount(service, request, called === 'list_tenants');
    const rejection = checkAdmission(service, rateLimit, request, reply);
    if (rejection && called === undefined) throw rejection;
    if (message.kind === 'notification') return await reply.status(202).send();
    if (message.kind === 'invalid') throw message.error;
    return await send(reply, 200, await createResponse({ service, key, rejection, request, reply }, message.request));
  } catch (thrown) {
    const failure = thrown instanceof JsonRpcError ? thrown : toJsonRpcError(thrown, request, reply);
    return await send(reply, failure.status, serializeError(messageId(message), failure));
  }
}

/** Every message with a valid key counts against its rate limit. */
function checkAdmission(
  service: Dependencies,
  rateLimit: RateLimitStatus,
  request: FastifyRequest,
  reply: FastifyReply,
): ApiError | null {
  try {
    applyRateLimit(service, rateLimit, reply);
    requireAcceptableMediaType(request);
    return null;
  } catch (error) {
    return toApiError(error);
  }
}

interface RequestContext {
  readonly service: Dependencies;
  readonly key: KeyRecord;
  /** Why a tool call is rejected before it is parsed. */
  readonly rejection: ApiError | null;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The complete response to a request that is valid for the protocol. Throws JsonRpcError. */
async function createResponse(context: RequestContext, message: JSONRPCRequest): Promise<string | Buffer> {
  const mode = negotiateVersion(message, context.request.headers);
  const subject = { tenantId: null as string | null, isUntrusted: false };
  const handlers = createMcpHandlers(context, message, subject);
  const members =
    message.method === 'server/discover' ? describeServer(handlers) : await dispatchMessage(handlers, message);
  return frameResponse(message.id, members, responseMetadata(mode, message.method, subject));
}

function createMcpHandlers(
  { service, key, rejection, request, reply }: RequestContext,
  message: JSONRPCRequest,
  subject: { tenantId: string | null; isUntrusted: boolean },
): McpHandlers {
  const scopes = expandScopes(key.scopes);
  const selector = readTenantSelector(request.raw);
  const { name, uri, arguments: given } = message.params ?? {};
  return {
    get instructions() {
      return buildInstructions(resolveTenant(key, selector), Date.now());
    },
    listTools: () => `"tools":${serializeToolList(scopes)}`,
    async callTool() {
      const operation = operationNamed(name);
      if (!operation) throw unknownName('tool', name, [...byName.keys()]);
      try {
        if (rejection) throw rejection;
        const result = await callTool(service, operation, {
          key,
          selector,
          arguments: given,
          onTenantSelected: (id) => {
            subject.tenantId = id;
            reply.header('X-Tenant-Id', id);
          },
          disconnectSignal: () => abortOnClientDisconnect(reply.raw),
        });
        subject.isUntrusted = operation.containsUntrustedText;
        return serializeToolResult(result);
      } catch (thrown) {
        const error = toApiError(thrown);
        request.calledStatus = error.status;
        logServerError(request.log, error);
        logRefusedAccess(request, error, service.keyUsage.findKey(request));
        reply.headers(error.headers);
        return serializeToolError(error, getRequestId(request.raw));
      }
    },
    listPrompts: () => `"prompts":${serializePromptList(scopes)}`,
    getPrompt: () => serializePrompt(scopes, name, given),
    listResources: () => `"resources":${serializeResourceList(scopes)}`,
    readResource: () => serializeResource(scopes, uri, service.publicUrl),
  };
}

function describeServer({ instructions }: McpHandlers): string {
  return JSON.stringify({ supportedVersions: servedVersions, capabilities, instructions }).slice(1, -1);
}

const byName = new Map<string, Operation>(operations.map((operation) => [operation.name, operation]));
const operationNamed = (name: unknown): Operation | undefined => byName.get(name as string);

/** The tool name of a tool call; undefined for other messages. */
function calledTool(message: ParsedMessage): unknown {
  return message.kind === 'request' && message.request.method === 'tools/call'
    ? (message.request.params?.name ?? null)
    : undefined;
}

/** 429 and 5xx become JSON-RPC errors with the id of the message, so that clients can correlate them; other errors are sent as by REST. */
function toJsonRpcError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): JsonRpcError {
  const error = toApiError(thrown);
  if (error.status !== 429 && error.status < 500) throw error;
  logServerError(request.log, error);
  reply.headers(error.headers);
  const code = error.status === 500 ? jsonRpcCodes.internal : error.status;
  return new JsonRpcError(error.status, code, error.message, error.body(getRequestId(request.raw)).error);
}

function messageId(message: ParsedMessage): RequestId | null {
  if (message.kind === 'request') return message.request.id;
  return message.kind === 'invalid' ? message.id : null;
}

function send(reply: FastifyReply, status: number, body: string | Buffer): FastifyReply {
  return reply.status(status).type(jsonContentType).send(body);
}
