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
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { RpcFailure, rpcCodes } from './failure.ts';

export const implementation: Implementation = { name: 'tenantscope', title: 'Tenantscope', version: '1.0.0' };
export const capabilities = { tools: {}, prompts: {} };

/** Members of a result, as they are sent; bytes in pieces, put together once. */
export type Printed = string | readonly Buffer[];

/** Answers of one caller. Each is the members of a result, printed already: pages are spliced into answers, never parsed. */
export interface Desk {
  readonly instructions: string;
  listTools(): string;
  callTool(): Promise<Printed>;
  listPrompts(): string;
  getPrompt(): string;
}

/** Made once: a server of its own would compile one per request, half a millisecond. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/**
 * One message in, the members of its result out: no socket, no stream. The server is made for this message alone, since one shared by
 * two callers would answer one with what belongs to the other. Throws RpcFailure for a protocol error.
 */
export async function exchange(desk: Desk, request: JSONRPCRequest): Promise<Printed> {
  let printed: Printed | null = null;
  const server = new Server(implementation, { capabilities, instructions: desk.instructions, jsonSchemaValidator });
  server.setRequestHandler(ListToolsRequestSchema, () => {
    printed = desk.listTools();
    return { tools: [] };
  });
  server.setRequestHandler(CallToolRequestSchema, async () => {
    printed = await desk.callTool();
    return { content: [] };
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => {
    printed = desk.listPrompts();
    return { prompts: [] };
  });
  server.setRequestHandler(GetPromptRequestSchema, () => {
    printed = desk.getPrompt();
    return { messages: [] };
  });
  const response = await answerOf(server, plain(request));
  if ('error' in response) {
    const { code, message, data } = response.error;
    // Only what nobody foresaw comes without a code of its own.
    if (code === rpcCodes.internal) throw new Error(message);
    throw new RpcFailure(200, code, message, data);
  }
  return printed ?? JSON.stringify(response.result).slice(1, -1);
}

type Answered = Extract<JSONRPCMessage, { result: unknown } | { error: unknown }>;

async function answerOf(server: Server, request: JSONRPCRequest): Promise<Answered> {
  const { promise, resolve } = Promise.withResolvers<Answered>();
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async (message) => {
      if ('result' in message || 'error' in message) resolve(message);
    },
  };
  await server.connect(transport);
  transport.onmessage?.(request);
  const answered = await promise;
  await server.close();
  return answered;
}

/** The desk has the whole request: the server need not look through its arguments, and tolerates fewer forms of them. */
function plain(request: JSONRPCRequest): JSONRPCRequest {
  const { jsonrpc, id, method } = request;
  if (method === 'initialize' && !InitializeRequestSchema.safeParse(request).success)
    throw new RpcFailure(200, rpcCodes.invalidParams, 'initialize needs protocolVersion, capabilities and clientInfo.');
  const named = method === 'tools/call' || method === 'prompts/get';
  return method === 'initialize' ? request : { jsonrpc, id, method, ...(named ? { params: { name: '' } } : {}) };
}
