import type { IncomingMessage } from 'node:http';
import { isWellFormedSecret, secretPattern } from '@tenantscope/store/api-key';

/** The API key of a request. Null if it is missing, malformed, has a wrong checksum or is sent twice with different values. */
export function readApiKey(request: IncomingMessage): string | null {
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

/** Whether the path or the query string of a URL contains a key: proxies and browsers store it there. */
export function containsApiKey(url: string): boolean {
  // By bytes: a key is ASCII, and the rest of the URL need not be valid.
  const decoded = url.replaceAll(/%[0-9a-f]{2}/gi, (encoded) =>
    String.fromCharCode(Number.parseInt(encoded.slice(1), 16)),
  );
  return secretPattern.test(decoded);
}

/** Whether a request presents credentials, valid or not. */
export function hasCredentials({ headers }: IncomingMessage): boolean {
  return headers.authorization !== undefined || headers['x-api-key'] !== undefined;
}

/** Reads the raw headers: Node joins or drops repeated ones, and two Authorization headers must not become one. */
function headerValues(request: IncomingMessage, name: string): string[] {
  const { rawHeaders } = request;
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}
