import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from '@modelcontextprotocol/sdk/types.js';
import { RpcFailure, rpcCodes } from './failure.ts';

/** `note`: nobody waits for an answer. `refused`: no message at all. */
export type Message =
  | { readonly kind: 'request'; readonly request: JSONRPCRequest }
  | { readonly kind: 'note' }
  | { readonly kind: 'refused'; readonly failure: RpcFailure; readonly id: RequestId | null };

export type RequestId = JSONRPCRequest['id'];

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads one message; never throws. A batch is none: a hundred calls would cost one request of the budget. */
export function readMessage(body: Uint8Array): Message {
  const value = parse(body);
  if (value === undefined)
    return refused(rpcCodes.parseError, 'The body is not JSON in UTF-8. Send one JSON-RPC 2.0 message.');
  if (Array.isArray(value)) return refused(rpcCodes.invalidRequest, 'Batches are not served. Send one message.');
  if (isJSONRPCRequest(value)) return { kind: 'request', request: value };
  if (isJSONRPCNotification(value) || isJSONRPCResponse(value)) return { kind: 'note' };
  const words =
    'The body is no JSON-RPC 2.0 message: it has jsonrpc "2.0", a method, an id (text or whole number) and params (an object).';
  return refused(rpcCodes.invalidRequest, words, idOf(value));
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

function refused(code: number, words: string, id: RequestId | null = null): Message {
  return { kind: 'refused', failure: new RpcFailure(400, code, words), id };
}

function idOf(value: unknown): RequestId | null {
  const { id } = (value ?? {}) as { id?: unknown };
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as RequestId) : null;
}
