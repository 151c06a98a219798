import { parseShortBody } from '../../http/error-text.ts';
import { assertSuccess } from '../../http/provider-request.ts';
import type { StreamInput } from '../provider.ts';
import { ProviderFailure } from '../provider-failure.ts';

/** Shorter than the usual lifetimes of 60 to 90 minutes; a run ends after a minute. */
const lifetimeMaxMs = 30 * 60_000;

/** What is sent to a token endpoint (RFC 6749). */
export interface TokenRequest {
  readonly url: string;
  readonly form: Readonly<Record<string, string>>;
}

/** Creates the function that returns the access token of one run. A token that ends within a minute is requested again. */
export function createTokenSource(
  send: StreamInput['send'],
  createRequest: () => Promise<TokenRequest>,
): () => Promise<string> {
  let token: { readonly value: string; readonly endsAtMs: number } | null = null;
  return async () => {
    if (token === null || token.endsAtMs - Date.now() < 60_000) token = await requestToken(send, await createRequest());
    return token.value;
  };
}

async function requestToken(send: StreamInput['send'], { url, form }: TokenRequest) {
  const { host } = new URL(url);
  const response = await send({
    url,
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  // Wrong credentials are 400 or 401 with the reason in the body.
  assertSuccess(response.status === 400 ? { ...response, status: 401 } : response, host);
  const { access_token: value, expires_in: seconds } = parseShortBody(response.body);
  if (typeof value !== 'string' || !/^[\x21-\x7e]{1,16384}$/.test(value))
    throw new ProviderFailure('invalid', `${host} sent no token`);
  const lifetimeMs = Number(seconds) > 0 ? Number(seconds) * 1_000 : 0;
  return { value, endsAtMs: Date.now() + Math.min(lifetimeMs, lifetimeMaxMs) };
}
