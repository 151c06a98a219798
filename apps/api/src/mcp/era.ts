import type { IncomingHttpHeaders } from 'node:http';
import { type JSONRPCRequest, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { quoted, RpcFailure, rpcCodes } from './failure.ts';

/** `handshake`: revisions that open with `initialize`, served without a session. `perRequest`: every message says its revision itself. */
export type Era = 'handshake' | 'perRequest';

export const metaNamespace = 'io.modelcontextprotocol/';

const perRequestVersion = '2026-07-28';
const oldestServed = '2025-03-26';
export const servedVersions = [
  perRequestVersion,
  ...SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version >= oldestServed),
];

/** What the newer revision has; `ping` and the like belong to the handshake. */
const perRequestMethods = ['server/discover', 'tools/list', 'tools/call', 'prompts/list', 'prompts/get'];
/** Their names stand in a header too, for gateways. */
const namedMethods: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** Throws RpcFailure where headers and message disagree, or speak a revision that is not served. */
export function eraOf({ method, params = {} }: JSONRPCRequest, headers: IncomingHttpHeaders): Era {
  const meta: Record<string, unknown> = params._meta ?? {};
  const claimed = meta[`${metaNamespace}protocolVersion`];
  const header = one(headers, 'mcp-protocol-version');
  const named = header !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(header) && header >= perRequestVersion;
  if (claimed === undefined && !named) {
    if (header === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(header)) return 'handshake';
    throw new RpcFailure(400, rpcCodes.unsupportedHandshake, `Unsupported protocol version ${quoted(header)}.`);
  }
  if (header === undefined) throw mismatch('MCP-Protocol-Version is missing');
  if (typeof claimed !== 'string' || typeof meta[`${metaNamespace}clientCapabilities`] !== 'object')
    throw new RpcFailure(
      400,
      rpcCodes.invalidParams,
      `params._meta needs ${metaNamespace}protocolVersion and ${metaNamespace}clientCapabilities.`,
    );
  if (header !== claimed) throw mismatch('MCP-Protocol-Version is not the version in params._meta');
  if (claimed !== perRequestVersion)
    throw new RpcFailure(400, rpcCodes.unsupportedVersion, `Unsupported protocol version ${quoted(claimed)}.`, {
      supported: servedVersions,
      requested: claimed.slice(0, 40),
    });
  if (one(headers, 'mcp-method') !== method) throw mismatch('Mcp-Method is not the method of the message');
  const name = namedMethods[method];
  if (name !== undefined && decoded(one(headers, 'mcp-name')) !== params[name])
    throw mismatch(`Mcp-Name is not params.${name}`);
  if (!perRequestMethods.includes(method)) throw new RpcFailure(404, rpcCodes.methodNotFound, 'Method not found.');
  return 'perRequest';
}

function mismatch(words: string): RpcFailure {
  return new RpcFailure(400, rpcCodes.headerMismatch, `The header ${words}.`);
}

function one(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join() : value;
}

/** Names that a header cannot hold come as `=?base64?…?=`. */
function decoded(value: string | undefined): string | undefined {
  const base64 = value === undefined ? undefined : /^=\?base64\?([A-Za-z0-9+/]*=*)\?=$/.exec(value)?.[1];
  return base64 === undefined ? value : Buffer.from(base64, 'base64').toString('utf8');
}
