import { ApiError, expandScopes, type Operation, operations } from '@tenantscope/contract';
import type { KeyRecord } from '@tenantscope/store';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { recognise, requireAcceptance, spend, spendRefused } from '../admit.ts';
import { tenantSelector } from '../authenticate.ts';
import { chosenTenant } from '../caller.ts';
import { jsonType, logFailure, toApiError } from '../failure.ts';
import { hangUpOf } from '../hang-up.ts';
import { messageMaxBytes } from '../limits.ts';
import { parametersOf } from '../query-string.ts';
import { requestIdOf } from '../request-id.ts';
import { basePath } from '../rest.ts';
import type { Service } from '../service.ts';
import { callTool } from './call-tool.ts';
import { eraOf, servedVersions } from './era.ts';
import { capabilities, type Desk, exchange } from './exchange.ts';
import { quoted, RpcFailure, rpcCodes } from './failure.ts';
import { instructionsFor } from './instructions.ts';
import { type Message, type RequestId, readMessage } from './message.ts';
import { printPrompt, printPrompts } from './prompts.ts';
import { frame, printFailure, stampsOf } from './response.ts';
import { printTools } from './tool.ts';
import { printToolError, printToolResult } from './tool-result.ts';

/** The tool endpoint: POST of one message, answered with plain JSON, and nothing kept between two of them. */
export function serveTools(app: FastifyInstance, service: Service): void {
  const url = `${basePath}/mcp`;
  const config = { operation: 'mcp' };
  const others = app.supportedMethods.filter((method) => method !== 'POST');
  const refuse = async () => {
    throw new ApiError(
      'METHOD_NOT_ALLOWED',
      'The tool endpoint opens no stream and keeps no session. Use POST.',
      undefined,
      {
        Allow: 'POST',
      },
    );
  };
  app.route({ method: others, url, config, onRequest: refuse, handler: refuse });
  app.register(async (scope) => {
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.setErrorHandler(async (error, request, reply) => {
      const { status } = toApiError(error);
      if (status === 413 || status === 415)
        await spendRefused(service, request, reply, parametersOf(request.raw.url ?? ''));
      throw error;
    });
    scope.route({
      method: 'POST',
      url,
      config,
      bodyLimit: messageMaxBytes,
      onRequest: async (request) => refuseForeign(service, request),
      handler: (request, reply) => answer(service, request, reply),
    });
  });
}

/** Before the body is read. A page of a foreign origin may have been led here by rebinding a name. */
function refuseForeign({ toolOrigins }: Service, { headers }: FastifyRequest): void {
  const { origin, 'content-type': type = '', 'content-encoding': coding = 'identity' } = headers;
  if (origin !== undefined && !toolOrigins.includes(origin))
    throw new ApiError(
      'ORIGIN_NOT_ALLOWED',
      'Pages of this origin may not call the tool endpoint. Call it from a server.',
    );
  const charset = /;\s*charset="?([^";\s]*)/i.exec(type)?.[1] ?? 'utf-8';
  if (coding.toLowerCase() !== 'identity' || charset.toLowerCase() !== 'utf-8')
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the message as application/json in UTF-8, not compressed.');
}

/** One POST, in the order the contract gives: key, budget, then the message. What fails in a tool call after the key is its result. */
async function answer(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const message = readMessage((request.body as Buffer | undefined) ?? Buffer.alloc(0));
  const called = calledTool(message);
  try {
    const key = await recognise(service, request, {
      parameters: parametersOf(request.raw.url ?? ''),
      listsTenants: called === 'list_tenants',
    });
    const refusal = await admit(service, key, request, reply);
    if (refusal && called === undefined) throw refusal;
    if (message.kind === 'note') return await reply.status(202).send();
    if (message.kind === 'refused') throw message.failure;
    return await send(reply, 200, await resultOf({ service, key, refusal, request, reply }, message.request));
  } catch (thrown) {
    const failure = thrown instanceof RpcFailure ? thrown : rpcFailureOf(thrown, request, reply);
    return await send(reply, failure.status, printFailure(idOf(message), failure));
  }
}

/** Every message with a key costs one request of its budget. */
async function admit(
  service: Service,
  key: KeyRecord,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ApiError | null> {
  try {
    await spend(service, key, reply);
    requireAcceptance(request);
    return null;
  } catch (error) {
    return toApiError(error);
  }
}

interface Visit {
  readonly service: Service;
  readonly key: KeyRecord;
  /** Why a tool call is refused before it is looked at. */
  readonly refusal: ApiError | null;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type Asked = Extract<Message, { kind: 'request' }>['request'];

/** The whole answer to a request that succeeds, as far as the protocol is concerned. Throws RpcFailure. */
async function resultOf(visit: Visit, asked: Asked): Promise<string | Buffer> {
  const era = eraOf(asked, visit.request.headers);
  let tenantId: string | null = null;
  const desk = deskFor(visit, asked, (id) => {
    tenantId = id;
    visit.reply.header('X-Tenant-Id', id);
  });
  const members = asked.method === 'server/discover' ? discovery(desk) : await exchange(desk, asked);
  return frame(asked.id, members, stampsOf(era, asked.method, tenantId));
}

function deskFor({ service, key, refusal, request, reply }: Visit, asked: Asked, selected: (id: string) => void): Desk {
  const scopes = expandScopes(key.scopes);
  const selector = tenantSelector(request.raw);
  const { name, arguments: given } = asked.params ?? {};
  return {
    get instructions() {
      return instructionsFor(chosenTenant(key, selector), Date.now());
    },
    listTools: () => `"tools":${printTools(scopes)}`,
    async callTool() {
      const operation = operationNamed(name);
      if (!operation) throw new RpcFailure(200, rpcCodes.invalidParams, `Unknown tool ${quoted(name)}.`);
      try {
        if (refusal) throw refusal;
        return printToolResult(
          await callTool(service, operation, {
            key,
            selector,
            arguments: given,
            selected,
            hangUp: () => hangUpOf(reply.raw),
          }),
        );
      } catch (thrown) {
        const error = toApiError(thrown);
        logFailure(request.log, error);
        reply.headers(error.headers);
        return printToolError(error, requestIdOf(request.raw));
      }
    },
    listPrompts: () => `"prompts":${printPrompts(scopes)}`,
    getPrompt: () => printPrompt(scopes, name, given),
  };
}

function discovery({ instructions }: Desk): string {
  return JSON.stringify({ supportedVersions: servedVersions, capabilities, instructions }).slice(1, -1);
}

const byName = new Map<unknown, Operation>(operations.map((operation) => [operation.name, operation]));
const operationNamed = (name: unknown): Operation | undefined => byName.get(name);

/** The name a tool call gives; undefined where the message is none. */
function calledTool(message: Message): unknown {
  return message.kind === 'request' && message.request.method === 'tools/call'
    ? (message.request.params?.name ?? null)
    : undefined;
}

/** 429 and 5xx carry the id of the message, so that clients know what failed; the rest stays what REST answers. */
function rpcFailureOf(thrown: unknown, request: FastifyRequest, reply: FastifyReply): RpcFailure {
  const error = toApiError(thrown);
  if (error.status !== 429 && error.status < 500) throw error;
  logFailure(request.log, error);
  reply.headers(error.headers);
  const code = error.status === 500 ? rpcCodes.internal : error.status;
  return new RpcFailure(error.status, code, error.message, error.body(requestIdOf(request.raw)).error);
}

function idOf(message: Message): RequestId | null {
  if (message.kind === 'request') return message.request.id;
  return message.kind === 'refused' ? message.id : null;
}

function send(reply: FastifyReply, status: number, body: string | Buffer): FastifyReply {
  return reply.status(status).type(jsonType).send(body);
}
