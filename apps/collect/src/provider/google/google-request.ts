import { parseShortBody, toObject } from '../../http/error-text.ts';
import { assertSuccess, type ProviderResponse } from '../../http/provider-request.ts';
import { parsePrivateKey, signAssertion } from '../oauth/signed-assertion.ts';
import { createTokenSource } from '../oauth/token-source.ts';
import type { StreamInput } from '../provider.ts';
import { ProviderFailure } from '../provider-failure.ts';

/** The key file of a service account, as Google creates it. */
interface ServiceAccountKey {
  readonly client_email: string;
  readonly private_key: string;
  readonly private_key_id: string;
}

/**
 * Creates the function that requests an address as an administrator, with whose rights the service account reads by domain-wide delegation. Tokens are requested with a
 * signed JWT (RFC 7523).
 */
export async function createGoogleRequest(
  { settings, secret, send }: StreamInput,
  scope: string,
): Promise<(url: string) => Promise<ProviderResponse>> {
  const { loginUrl, subject } = settings;
  if (typeof loginUrl !== 'string' || typeof subject !== 'string')
    throw new ProviderFailure('refused', 'the collector has no administrator; create it again');
  const key = parseKeyFile(secret);
  // Not the token_uri of the key file: a changed file must not send assertions elsewhere.
  const url = new URL('/token', loginUrl).href;
  const getToken = createTokenSource(send, async () => ({
    url,
    form: {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: await signAssertion(
        parsePrivateKey(key.private_key),
        'RS256',
        { kid: key.private_key_id },
        { iss: key.client_email, sub: subject, aud: url, scope },
      ),
    },
  }));
  // The first response, by which the clock of Google is read.
  await getToken();
  return async (address) => {
    const headers = { accept: 'application/json', authorization: `Bearer ${await getToken()}` };
    return send({ url: address, headers });
  };
}

function parseKeyFile(secret: string): ServiceAccountKey {
  let parsed: unknown = null;
  try {
    parsed = JSON.parse(secret);
  } catch {
    // Described below.
  }
  const { client_email, private_key, private_key_id } = (parsed ?? {}) as Partial<Record<string, unknown>>;
  if (typeof client_email === 'string' && typeof private_key === 'string' && typeof private_key_id === 'string')
    return { client_email, private_key, private_key_id };
  throw new ProviderFailure('refused', 'the secret file is not the JSON key of a Google service account');
}

const quotaReasons: ReadonlySet<string> = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded']);

/** Google refuses requests above a quota with 403 too. */
export function assertGoogleSuccess(response: ProviderResponse, host: string): void {
  const isQuota = response.status === 403 && readReasons(response).some((reason) => quotaReasons.has(reason));
  assertSuccess(isQuota ? { ...response, status: 429 } : response, host);
}

function readReasons({ body }: ProviderResponse): string[] {
  const { errors } = toObject(parseShortBody(body).error);
  return Array.isArray(errors) ? errors.map((one) => String(toObject(one).reason)) : [];
}
