import { createPublicKey, generateKeyPairSync, randomUUID, verify } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** An API service integration of Okta and its token endpoint: client credentials with `private_key_jwt`, without DPoP. */
export interface OktaClient {
  readonly clientId: string;
  /** With its `kid`. */
  readonly privateJwk: string;
  readonly privatePem: string;
  isAuthorized(authorization: string | undefined): boolean;
  sendToken(request: IncomingMessage, response: ServerResponse, url: string): Promise<void>;
  /** Scopes that are granted. */
  setScopes(scopes: readonly string[]): void;
  expireTokens(): void;
  tokenCount(): number;
}

export function createOktaClient(): OktaClient {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const publicKey = createPublicKey(privateKey);
  const clientId = `0oa${randomUUID().replaceAll('-', '').slice(0, 17)}`;
  const keyId = randomUUID();
  const tokens = new Set<string>();
  const assertionIds = new Set<string>();
  let scopes: readonly string[] = ['okta.logs.read'];
  let count = 0;
  const isValid = (assertion: string, url: string): boolean => {
    const [header = '', claims = '', signature = ''] = assertion.split('.');
    const read = (part: string) =>
      JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
    const { alg, kid = keyId } = read(header);
    const { iss, sub, aud, exp, jti } = read(claims);
    const isNew = !assertionIds.has(String(jti));
    assertionIds.add(String(jti));
    const signed = Buffer.from(`${header}.${claims}`);
    return [
      ...[isNew, alg === 'RS256', kid === keyId, iss === clientId, sub === clientId, aud === `${url}/oauth2/v1/token`],
      ...[Number(exp) * 1_000 > Date.now(), Number(exp) * 1_000 <= Date.now() + 3_600_000],
      verify('sha256', signed, publicKey, Buffer.from(signature, 'base64url')),
    ].every(Boolean);
  };
  return {
    clientId,
    privateJwk: JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: keyId }),
    privatePem: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    isAuthorized: (authorization) => tokens.has(authorization ?? ''),
    async sendToken(request, response, url) {
      const form = new URLSearchParams(await text(request));
      const refuse = (error: string, description: string): void => {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error, error_description: description }));
      };
      const assertion = form.get('client_assertion') ?? '';
      const isAsserted = form.get('client_assertion_type') === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      if (form.get('grant_type') !== 'client_credentials' || !isAsserted || !isValid(assertion, url)) {
        refuse('invalid_client', 'The client_assertion token is invalid.');
        return;
      }
      if (!scopes.includes(form.get('scope') ?? '')) {
        refuse('invalid_scope', 'One or more scopes are not granted for this app.');
        return;
      }
      count += 1;
      const token = randomUUID();
      tokens.add(`Bearer ${token}`);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ token_type: 'Bearer', expires_in: 3600, access_token: token, scope: scopes[0] }));
    },
    setScopes(granted) {
      scopes = granted;
    },
    expireTokens: () => tokens.clear(),
    tokenCount: () => count,
  };
}
