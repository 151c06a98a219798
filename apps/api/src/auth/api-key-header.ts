import type { IncomingMessage } from 'node:http';
import type { RawParameter } from '@tenantscope/contract';
import { isWellFormedSecret, secretPattern } from '@tenantscope/store/api-key';

/**
 * The API key of a request. Null if it is missing, malformed, has a wrong checksum, is sent twice with different values, or is in the query
 * string, where proxies and browsers store it.
 */
export function readApiKey(request: IncomingMessage, parameters: readonly RawParameter[]): string | null {
  if (parameters.some(([name, value]) => secretPattern.test(name) || secretPattern.test(value ?? ''))) return null;
  const authorization = headerValues(request, 'authorization');
  const apiKey = headerValues(request, 'x-api-key');
  if (authorization.length > 1 || apiKey.length > 1) return null;
  const secrets = [
    ...authorization.map((value) => /^Bearer +(\S+) *$/i.exec(value)?.[1] ?? ''),
    ...apiKey.map((value) => value.trim()),
  ];
  const [secret] = secrets;
  if (secret === undefined || secrets.some((other) => other !== secret)) return null;
  return isWellFormedSecret(secret) ? secret : null;
}

/** Reads the raw headers: Node joins or drops repeated ones, and two Authorization headers must not become one. */
function headerValues(request: IncomingMessage, name: string): string[] {
  const { rawHeaders } = request;
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}
