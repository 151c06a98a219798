import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from '@modelcontextprotocol/sdk/types.js';
import { JsonRpcError, jsonRpcCodes } from './json-rpc-error.ts';

/** `notification`: needs no response. `invalid`: not a JSON-RPC message. */
export type ParsedMessage =
  | { readonly kind: 'request'; readonly request: JSONRPCRequest }
  | { readonly kind: 'notification' }
  | { readonly kind: 'invalid'; readonly error: JsonRpcError; readonly id: RequestId | null };

export type RequestId = JSONRPCRequest['id'];

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses one message; never throws. A batch is invalid: a hundred calls would count as one request against the rate limit. */
export function parseMessage(body: Uint8Array): ParsedMessage {
  const value = parse(body);
  if (value === undefined)
    return invalidMessage(
      jsonRpcCodes.parseError,
      'The body is not valid JSON in UTF-8. Send one JSON-RPC 2.0 message.',
    );
  if (Array.isArray(value))
    return invalidMessage(jsonRpcCodes.invalidRequest, 'Batches are not supported. Send one message.');
  if (isJSONRPCRequest(value)) return { kind: 'request', request: value };
  if (isJSONRPCNotification(value) || isJSONRPCResponse(value)) return { kind: 'notification' };
  const problem =
    'The body is not a JSON-RPC 2.0 message, which has jsonrpc "2.0", a method, an id (string or integer) and params (an object).';
  return invalidMessage(jsonRpcCodes.invalidRequest, problem, readId(value));
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

function invalidMessage(code: number, message: string, id: RequestId | null = null): ParsedMessage {
  return { kind: 'invalid', error: new JsonRpcError(400, code, message), id };
}

function readId(value: unknown): RequestId | null {
  const { id } = (value ?? {}) as { id?: unknown };
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as RequestId) : null;
}
