import { findNearNames } from '../near-names.ts';

/** Error codes of JSON-RPC and MCP. */
export const jsonRpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  unsupportedHandshake: -32000,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** A protocol error: its HTTP status and the members of a JSON-RPC error. The message quotes at most 40 characters of input. */
export class JsonRpcError extends Error {
  readonly status: number;
  readonly code: number;
  readonly data: unknown;

  constructor(status: number, code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'JsonRpcError';
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

const quotedMaxLength = 40;

/** Quotes input for a message: truncated and escaped. */
export function quoteInput(text: string): string {
  return JSON.stringify(text.slice(0, quotedMaxLength).toWellFormed());
}

/** The error for a tool, prompt or resource that does not exist. It names similar ones. Names are not validated before: one may be any JSON value. */
export function unknownName(
  kind: 'tool' | 'prompt' | 'resource',
  name: unknown,
  names: readonly string[],
): JsonRpcError {
  const list = `${kind}s/list lists all.`;
  if (typeof name !== 'string') {
    const member = kind === 'resource' ? 'uri' : 'name';
    return new JsonRpcError(200, jsonRpcCodes.invalidParams, `The ${member} is missing or not a string. ${list}`);
  }
  const near = findNearNames(name, names);
  const next = near.length > 0 ? `Similar: ${near.join(', ')}.` : list;
  return new JsonRpcError(200, jsonRpcCodes.invalidParams, `Unknown ${kind} ${quoteInput(name)}. ${next}`);
}
