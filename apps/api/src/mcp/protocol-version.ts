import type { IncomingHttpHeaders } from 'node:http';
import {
  type JSONRPCRequest,
  LATEST_PROTOCOL_VERSION,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { JsonRpcError, jsonRpcCodes, quoteInput } from './json-rpc-error.ts';

/** `handshake`: revisions that start with `initialize`, served without a session. `perRequest`: every message carries its revision. */
export type NegotiationMode = 'handshake' | 'perRequest';

export const metaNamespace = 'io.modelcontextprotocol/';

const perRequestVersion = '2026-07-28';
const oldestServed = '2025-03-26';
/** The SDK supports older ones, too: those before Streamable HTTP. */
const handshakeVersions = SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version >= oldestServed);
export const servedVersions = [perRequestVersion, ...handshakeVersions];

/** The revision of a connection that starts with `initialize`: the offered one if it is served, else the latest, which the client may refuse. */
export const chooseHandshakeVersion = (offered: string): string =>
  handshakeVersions.includes(offered) ? offered : LATEST_PROTOCOL_VERSION;

/** The methods of the per-request revision; `ping` and others belong to the handshake. */
const perRequestMethods = [
  'server/discover',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
];
/** Methods whose target name is repeated in a header, for gateways. */
const namedMethods: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** Throws JsonRpcError if headers and message disagree or name an unsupported revision. */
export function negotiateVersion(
  { method, params = {} }: JSONRPCRequest,
  headers: IncomingHttpHeaders,
): NegotiationMode {
  const meta: Record<string, unknown> = params._meta ?? {};
  const claimed = meta[`${metaNamespace}protocolVersion`];
  const header = readHeader(headers, 'mcp-protocol-version');
  const named = header !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(header) && header >= perRequestVersion;
  if (claimed === undefined && !named) {
    if (header === undefined || handshakeVersions.includes(header)) return 'handshake';
    throw new JsonRpcError(
      400,
      jsonRpcCodes.unsupportedHandshake,
      `Unsupported protocol version ${quoteInput(header)}.`,
    );
  }
  if (header === undefined) throw headerMismatch('MCP-Protocol-Version is missing');
  if (typeof claimed !== 'string' || typeof meta[`${metaNamespace}clientCapabilities`] !== 'object')
    throw new JsonRpcError(
      400,
      jsonRpcCodes.invalidParams,
      `params._meta requires ${metaNamespace}protocolVersion and ${metaNamespace}clientCapabilities.`,
    );
  if (header !== claimed) throw headerMismatch('MCP-Protocol-Version is not the version in params._meta');
  if (claimed !== perRequestVersion)
    throw new JsonRpcError(
      400,
      jsonRpcCodes.unsupportedVersion,
      `Unsupported protocol version ${quoteInput(claimed)}.`,
      {
        supported: servedVersions,
        requested: claimed.slice(0, 40),
      },
    );
  if (readHeader(headers, 'mcp-method') !== method) throw headerMismatch('Mcp-Method is not the method of the message');
  const name = namedMethods[method];
  if (name !== undefined && decodeHeader(readHeader(headers, 'mcp-name')) !== params[name])
    throw headerMismatch(`Mcp-Name is not params.${name}`);
  if (!perRequestMethods.includes(method))
    throw new JsonRpcError(404, jsonRpcCodes.methodNotFound, 'Method not found.');
  return 'perRequest';
}

function headerMismatch(problem: string): JsonRpcError {
  return new JsonRpcError(400, jsonRpcCodes.headerMismatch, `The header ${problem}.`);
}

function readHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join() : value;
}

/** Names that a header cannot represent are encoded as `=?base64?…?=`. */
function decodeHeader(value: string | undefined): string | undefined {
  const base64 = value === undefined ? undefined : /^=\?base64\?([A-Za-z0-9+/]*=*)\?=$/.exec(value)?.[1];
  return base64 === undefined ? value : Buffer.from(base64, 'base64').toString('utf8');
}
