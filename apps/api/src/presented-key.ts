import type { IncomingMessage } from 'node:http';
import type { GivenParameter } from '@tenantscope/contract';
import { isWellFormedSecret, secretPattern } from '@tenantscope/store';

/**
 * The key a request carries, or null: none, malformed, its checksum wrong, two that differ, or one in the query string,
 * where proxies and browsers would keep it.
 */
export function presentedKey(request: IncomingMessage, parameters: readonly GivenParameter[]): string | null {
  if (parameters.some(([name, value]) => secretPattern.test(name) || secretPattern.test(value ?? ''))) return null;
  const authorization = headerValues(request, 'authorization');
  const apiKey = headerValues(request, 'x-api-key');
  if (authorization.length > 1 || apiKey.length > 1) return null;
  const presented = [
    ...authorization.map((value) => /^Bearer +(\S+) *$/i.exec(value)?.[1] ?? ''),
    ...apiKey.map((value) => value.trim()),
  ];
  const [secret] = presented;
  if (secret === undefined || presented.some((other) => other !== secret)) return null;
  return isWellFormedSecret(secret) ? secret : null;
}

/** As they came: Node joins or drops repeated headers, and two Authorization lines must not become one. */
function headerValues(request: IncomingMessage, name: string): string[] {
  const { rawHeaders } = request;
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}
