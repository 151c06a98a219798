import { z } from 'zod';

export interface TokenOptions {
  readonly tokenUrl: string;
  readonly clientId: string;
  readClientSecret(): string;
  readonly scope: string | undefined;
  readonly timeoutMs?: number;
}

/** The token endpoint refused, or did not respond. The message contains its address and error code, never the credentials. */
export class TokenRequestFailed extends Error {
  override name = 'TokenRequestFailed';
}

const tokenResponse = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().default(60),
});
const errorResponse = z.object({ error: z.string().regex(/^[\w.-]{1,80}$/) });

/**
 * Creates a provider of access tokens by OAuth 2.0 client credentials. Connections share a token until half of its lifetime is left, at most
 * one minute: kafkajs logs in again ten seconds before a session ends, and has to get a newer token then.
 */
export function createTokenProvider(options: TokenOptions): () => Promise<string> {
  let token: { value: string; refreshAtMs: number } | null = null;
  let requested: Promise<string> | null = null;
  const request = async () => {
    const requestedAtMs = performance.now();
    const { access_token: value, expires_in: seconds } = await requestToken(options);
    token = { value, refreshAtMs: requestedAtMs + seconds * 1_000 - Math.min(60_000, seconds * 500) };
    return value;
  };
  return async () => {
    if (token !== null && performance.now() < token.refreshAtMs) return token.value;
    requested ??= request().finally(() => {
      requested = null;
    });
    return requested;
  };
}

async function requestToken({ tokenUrl, clientId, readClientSecret, scope, timeoutMs = 5_000 }: TokenOptions) {
  const encode = (part: string) => encodeURIComponent(part);
  const credentials = Buffer.from(`${encode(clientId)}:${encode(readClientSecret())}`).toString('base64');
  const response = await fetch(tokenUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}`, accept: 'application/json' },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) }),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new TokenRequestFailed(`The token endpoint ${tokenUrl} does not respond: ${cause}`);
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) {
    const reason = errorResponse.safeParse(body).data?.error ?? 'no error code';
    throw new TokenRequestFailed(`The token endpoint ${tokenUrl} responded with status ${response.status}: ${reason}`);
  }
  const parsed = tokenResponse.safeParse(body);
  if (!parsed.success) throw new TokenRequestFailed(`The token endpoint ${tokenUrl} returned no access_token`);
  return parsed.data;
}
