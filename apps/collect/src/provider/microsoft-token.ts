import { assertSuccess } from '../http/provider-request.ts';
import type { StreamInput } from './provider.ts';
import { ProviderFailure } from './provider-failure.ts';

/** Shorter than Microsoft's own lifetimes of 60 to 90 minutes; a run ends after a minute. */
const lifetimeMaxMs = 30 * 60_000;

/**
 * Creates the function that adds a token of client credentials (Microsoft identity platform, v2) to requests of one run. A token that ends within a minute is
 * requested again.
 */
export function createTokenSource(input: StreamInput, scope: string): () => Promise<string> {
  let token: { readonly value: string; readonly endsAtMs: number } | null = null;
  return async () => {
    if (token === null || token.endsAtMs - Date.now() < 60_000) token = await requestToken(input, scope);
    return token.value;
  };
}

async function requestToken({ settings, secret, send }: StreamInput, scope: string) {
  const { loginUrl, directoryId, clientId } = readSettings(settings);
  const url = new URL(`/${directoryId}/oauth2/v2.0/token`, loginUrl);
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: secret,
    scope,
  });
  const response = await send({
    url: url.href,
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
  });
  // A wrong client id or secret is 400 or 401 with the reason in the body.
  assertSuccess(response.status === 400 ? { ...response, status: 401 } : response, url.host);
  const { access_token: value, expires_in: seconds } = parseObject(response.body);
  if (typeof value !== 'string' || !/^[\x21-\x7e]{1,16384}$/.test(value))
    throw new ProviderFailure('invalid', `${url.host} sent no token`);
  const lifetimeMs = Number(seconds) > 0 ? Number(seconds) * 1_000 : 0;
  return { value, endsAtMs: Date.now() + Math.min(lifetimeMs, lifetimeMaxMs) };
}

export interface MicrosoftSettings {
  /** Where tokens are requested. */
  readonly loginUrl: string;
  /** The customer's tenant in Microsoft Entra. */
  readonly directoryId: string;
  readonly clientId: string;
}

export function readSettings(settings: StreamInput['settings']): MicrosoftSettings {
  const { loginUrl, directoryId, clientId } = settings;
  if (typeof loginUrl !== 'string' || typeof directoryId !== 'string' || typeof clientId !== 'string')
    throw new ProviderFailure('refused', 'the collector has no directory or client id; create it again');
  return { loginUrl, directoryId, clientId };
}

function parseObject(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
