import { constants, randomUUID, verify, X509Certificate } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** The token endpoint of the Microsoft identity platform, for one application with a client secret and a certificate. */
export interface MicrosoftLogin {
  readonly directoryId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly path: string;
  /** @param origin of the endpoint, which is part of the audience of an assertion */
  sendToken(response: ServerResponse, body: string, scope: string, origin: string): void;
  /** Accepts assertions that this certificate, in PEM, verifies. */
  addCertificate(pem: string): void;
  isAuthorized(authorization: string | undefined): boolean;
  /** Tokens that were handed out are refused from now on. */
  expireTokens(): void;
}

export function createMicrosoftLogin(): MicrosoftLogin {
  const tokens = new Set<string>();
  const certificates: X509Certificate[] = [];
  const directoryId = randomUUID();
  const clientId = randomUUID();
  const clientSecret = 'client-secret-of-the-test';
  return {
    directoryId,
    clientId,
    clientSecret,
    path: `/${directoryId}/oauth2/v2.0/token`,
    addCertificate: (pem) => void certificates.push(new X509Certificate(pem)),
    sendToken(response, body, scope, origin) {
      const form = new URLSearchParams(body);
      const isProved =
        form.get('client_secret') === clientSecret ||
        certificates.some((one) => verifyAssertion(form, one, clientId, `${origin}/${directoryId}/oauth2/v2.0/token`));
      if (!isProved || form.get('client_id') !== clientId) {
        sendTokenError(response, 401, 'invalid_client', 'AADSTS7000215: Invalid client secret provided.');
        return;
      }
      if (form.get('grant_type') !== 'client_credentials' || form.get('scope') !== scope) {
        sendTokenError(response, 400, 'invalid_scope', 'AADSTS1002012: The provided value for scope is not valid.');
        return;
      }
      const token = randomUUID();
      tokens.add(`Bearer ${token}`);
      response.end(JSON.stringify({ token_type: 'Bearer', expires_in: 3599, access_token: token }));
    },
    isAuthorized: (authorization) => tokens.has(authorization ?? ''),
    expireTokens: () => tokens.clear(),
  };
}

/** RFC 7523, with the header that Microsoft requires: PS256 and the SHA-256 thumbprint. */
function verifyAssertion(
  form: URLSearchParams,
  certificate: X509Certificate,
  clientId: string,
  audience: string,
): boolean {
  const [header = '', claims = '', signature = ''] = (form.get('client_assertion') ?? '').split('.');
  const [named, claimed] = [header, claims].map((part) => {
    const json = Buffer.from(part, 'base64url').toString('utf8');
    return JSON.parse(json === '' ? '{}' : json) as Record<string, unknown>;
  }) as [Record<string, unknown>, Record<string, unknown>];
  const thumbprint = Buffer.from(certificate.fingerprint256.replaceAll(':', ''), 'hex').toString('base64url');
  const key = { key: certificate.publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  return (
    form.get('client_assertion_type') === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' &&
    named.alg === 'PS256' &&
    named['x5t#S256'] === thumbprint &&
    claimed.iss === clientId &&
    claimed.sub === clientId &&
    claimed.aud === audience &&
    Number(claimed.exp) * 1_000 > Date.now() &&
    verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'))
  );
}

function sendTokenError(response: ServerResponse, status: number, error: string, description: string): void {
  response.writeHead(status).end(JSON.stringify({ error, error_description: description }));
}
