import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  type Implementation,
  InitializeRequestSchema,
  type JSONRPCMessage,
  type JSONRPCRequest,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type ServerResult,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { productVersion } from '@tenantscope/contract';
import { JsonRpcError, jsonRpcCodes } from './json-rpc-error.ts';
import { chooseHandshakeVersion } from './protocol-version.ts';

export const implementation: Implementation = { name: 'tenantscope', title: 'Tenantscope', version: productVersion };
export const capabilities = { tools: {}, prompts: {}, resources: {} };

/** The serialized members of a result; byte chunks are concatenated once. */
export type SerializedResult = string | readonly Buffer[];

/** Method handlers for one caller. Each returns the serialized members of a result: pages are spliced into responses, never parsed. */
export interface McpHandlers {
  readonly instructions: string;
  listTools(): string;
  callTool(): Promise<SerializedResult>;
  listPrompts(): string;
  getPrompt(): string;
  listResources(): string;
  readResource(): string;
}

/** Created once: each server would otherwise compile its own, half a millisecond per request. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

type SetResult = (result: SerializedResult) => void;

/** Sets the handler of one method. */
type HandlerSetter = (server: Server, handlers: McpHandlers, setResult: SetResult) => void;

/** The SDK gets an empty result: it would validate and copy a page. */
const setHandler =
  (
    schema: Parameters<Server['setRequestHandler']>[0],
    read: (handlers: McpHandlers) => SerializedResult | Promise<SerializedResult>,
    emptyResult: ServerResult,
  ): HandlerSetter =>
  (server, handlers, setResult) =>
    server.setRequestHandler(schema, async () => {
      setResult(await read(handlers));
      return emptyResult;
    });

const handlerSetters = new Map<string, HandlerSetter>([
  ['tools/list', setHandler(ListToolsRequestSchema, (handlers) => handlers.listTools(), { tools: [] })],
  ['tools/call', setHandler(CallToolRequestSchema, (handlers) => handlers.callTool(), { content: [] })],
  ['prompts/list', setHandler(ListPromptsRequestSchema, (handlers) => handlers.listPrompts(), { prompts: [] })],
  ['prompts/get', setHandler(GetPromptRequestSchema, (handlers) => handlers.getPrompt(), { messages: [] })],
  ['resources/list', setHandler(ListResourcesRequestSchema, (handlers) => handlers.listResources(), { resources: [] })],
  [
    'resources/templates/list',
    setHandler(ListResourceTemplatesRequestSchema, () => '"resourceTemplates":[]', { resourceTemplates: [] }),
  ],
  ['resources/read', setHandler(ReadResourceRequestSchema, (handlers) => handlers.readResource(), { contents: [] })],
]);

/**
 * Dispatches one message and returns the members of its result, without a socket or a stream. The server exists for this message only, since a
 * server shared by two callers could send one the response of the other. Throws JsonRpcError for a protocol error.
 */
export async function dispatchMessage(handlers: McpHandlers, request: JSONRPCRequest): Promise<SerializedResult> {
  let result: SerializedResult | null = null;
  const server = new Server(implementation, { capabilities, instructions: handlers.instructions, jsonSchemaValidator });
  handlerSetters.get(request.method)?.(server, handlers, (own) => {
    result = own;
  });
  const response = await sendToServer(server, withoutArguments(request));
  if ('error' in response) {
    const { code, message, data } = response.error;
    // Only unexpected errors have the generic code.
    if (code === jsonRpcCodes.internal) throw new Error(message);
    throw new JsonRpcError(200, code, message, data);
  }
  return result ?? JSON.stringify(response.result).slice(1, -1);
}

type ServerResponse = Extract<JSONRPCMessage, { result: unknown } | { error: unknown }>;

async function sendToServer(server: Server, request: JSONRPCRequest): Promise<ServerResponse> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async (message) => {
      if ('result' in message || 'error' in message) resolve(message);
    },
  };
  await server.connect(transport);
  transport.onmessage?.(request);
  // Nothing is closed: there is no resource, and for a request that has ended close() creates two errors with stacks, 24 µs.
  return promise;
}

const requiredParameters: Readonly<Record<string, Record<string, string>>> = {
  'tools/call': { name: '' },
  'prompts/get': { name: '' },
  'resources/read': { uri: '' },
};

/**
 * Strips the arguments, which the handlers already have: the SDK server accepts fewer forms of them. Of a handshake only the offered revision is
 * replaced if it is not served.
 */
function withoutArguments({ jsonrpc, id, method, params }: JSONRPCRequest): JSONRPCRequest {
  const required = requiredParameters[method];
  if (method !== 'initialize') return { jsonrpc, id, method, ...(required ? { params: required } : {}) };
  const handshake = InitializeRequestSchema.safeParse({ method, params });
  if (!handshake.success)
    throw new JsonRpcError(
      200,
      jsonRpcCodes.invalidParams,
      'initialize requires protocolVersion, capabilities and clientInfo.',
    );
  const protocolVersion = chooseHandshakeVersion(handshake.data.params.protocolVersion);
  return { jsonrpc, id, method, params: { ...params, protocolVersion } };
}
