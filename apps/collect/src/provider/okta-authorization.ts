import { parsePrivateKey, signAssertion } from './oauth/signed-assertion.ts';
import { createTokenSource } from './oauth/token-source.ts';
import type { StreamInput } from './provider.ts';
import { ProviderFailure } from './provider-failure.ts';

/**
 * Creates the function that returns the `Authorization` of requests to Okta. Without a client id, the secret file contains an API token; with one, the private key of
 * an API service integration, as JWK or PEM, that signs the requests for access tokens (private_key_jwt).
 */
export function createOktaAuthorization({ url, settings, secret, send }: StreamInput): () => Promise<string> {
  const { clientId } = settings;
  if (typeof clientId !== 'string') return async () => `SSWS ${checkToken(secret)}`;
  const tokenUrl = new URL('/oauth2/v1/token', url).href;
  const getToken = createTokenSource(send, async () => ({
    url: tokenUrl,
    form: {
      grant_type: 'client_credentials',
      scope: 'okta.logs.read',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await createAssertion(secret, clientId, tokenUrl),
    },
  }));
  return async () => `Bearer ${await getToken()}`;
}

function createAssertion(secret: string, clientId: string, audience: string): Promise<string> {
  const claims = { iss: clientId, sub: clientId, aud: audience };
  if (!secret.startsWith('{')) return signAssertion(parsePrivateKey(secret), 'RS256', {}, claims);
  const key = parseKey(secret);
  return signAssertion(parsePrivateKey(key), 'RS256', typeof key.kid === 'string' ? { kid: key.kid } : {}, claims);
}

function parseKey(secret: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(secret) as Record<string, unknown>;
  } catch {
    throw new ProviderFailure('refused', 'the secret file is neither a JWK nor PEM');
  }
}

/** The message of `fetch` for an invalid header contains its value. */
function checkToken(secret: string): string {
  if (/^[\x21-\x7e]{1,1000}$/.test(secret)) return secret;
  throw new ProviderFailure(
    'refused',
    'the secret file contains no API token of Okta: one line of printable characters',
  );
}
