/** Codes of JSON-RPC and of the protocol. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  unsupportedHandshake: -32000,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** A protocol failure as clients see it: its HTTP status and the members of a JSON-RPC error. Words hold no input longer than 40 characters. */
export class RpcFailure extends Error {
  readonly status: number;
  readonly code: number;
  readonly data: unknown;

  constructor(status: number, code: number, words: string, data?: unknown) {
    super(words);
    this.name = 'RpcFailure';
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

const shownMax = 40;

/** Input in words: short, printable, in quotes. */
export function quoted(text: unknown): string {
  return JSON.stringify(String(text).slice(0, shownMax).toWellFormed());
}
