import { X509Certificate } from 'node:crypto';
import type { ProviderResponse } from '../../http/provider-request.ts';
import { parsePrivateKey, signAssertion } from '../oauth/signed-assertion.ts';
import { createTokenSource } from '../oauth/token-source.ts';
import type { StreamInput } from '../provider.ts';
import { ProviderFailure } from '../provider-failure.ts';

/** One request function with the address and the token of the run. */
export type MicrosoftRequest = (path: string, method?: 'GET' | 'POST') => Promise<ProviderResponse>;

/**
 * Requests of an application, with a token of the Microsoft identity platform, v2, by client credentials. The secret file contains a client secret, or the PEM of a
 * private key and its certificate.
 */
export async function createMicrosoftRequest(input: StreamInput): Promise<MicrosoftRequest> {
  const { loginUrl, directoryId, clientId } = readMicrosoftSettings(input.settings);
  const url = new URL(`/${directoryId}/oauth2/v2.0/token`, loginUrl).href;
  const getToken = createTokenSource(input.send, async () => ({
    url,
    form: {
      grant_type: 'client_credentials',
      client_id: clientId,
      scope: `${input.url}/.default`,
      ...(await createCredential(input.secret, clientId, url)),
    },
  }));
  // The first response, by which the clock of Microsoft is read.
  await getToken();
  return async (path, method = 'GET') => {
    const headers = { accept: 'application/json', authorization: `Bearer ${await getToken()}` };
    return input.send({ url: new URL(path, input.url).href, method, headers });
  };
}

async function createCredential(secret: string, clientId: string, audience: string): Promise<Record<string, string>> {
  if (!secret.startsWith('-----BEGIN ')) return { client_secret: secret };
  const thumbprint = Buffer.from(parseCertificate(secret).fingerprint256.replaceAll(':', ''), 'hex');
  const claims = { iss: clientId, sub: clientId, aud: audience };
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await signAssertion(
      parsePrivateKey(secret),
      'PS256',
      { 'x5t#S256': thumbprint.toString('base64url') },
      claims,
    ),
  };
}

function parseCertificate(secret: string): X509Certificate {
  const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(secret)?.[0];
  try {
    if (certificate !== undefined) return new X509Certificate(certificate);
  } catch {
    // Described below.
  }
  throw new ProviderFailure('refused', 'the secret file has a private key without its certificate in PEM');
}

interface MicrosoftSettings {
  /** Where tokens are requested. */
  readonly loginUrl: string;
  /** The customer's tenant in Microsoft Entra. */
  readonly directoryId: string;
  readonly clientId: string;
}

export function readMicrosoftSettings(settings: StreamInput['settings']): MicrosoftSettings {
  const { loginUrl, directoryId, clientId } = settings;
  if (typeof loginUrl !== 'string' || typeof directoryId !== 'string' || typeof clientId !== 'string')
    throw new ProviderFailure('refused', 'the collector has no directory or client id; create it again');
  return { loginUrl, directoryId, clientId };
}
