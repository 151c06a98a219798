import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What differs in an ID token from the valid one. */
export interface Forgery {
  readonly header?: Record<string, unknown>;
  /** Merged with the valid ones; undefined removes one. */
  readonly claims?: Record<string, unknown>;
  /** Null: the signature is empty. */
  readonly key?: KeyObject | null;
}

/** An identity provider that issues the ID tokens a test describes, which no proper provider does. */
export interface TokenIssuer extends AsyncDisposable {
  readonly issuer: string;
  /** The issuer in its metadata; by default its own address. */
  metadataIssuer: string | null;
  /** Of the next sign-in. */
  forgery: Forgery;
  /** Where a browser returns to that was sent to this authorization URL. */
  callback(authorizationUrl: string): string;
}

export const newRsaKeys = () => generateKeyPairSync('rsa', { modulusLength: 2_048 });

export async function startTokenIssuer(clientId: string): Promise<TokenIssuer> {
  const { privateKey, publicKey } = newRsaKeys();
  let nonce: string | null = null;
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(respond(request.url ?? '')));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tokenIssuer: TokenIssuer = {
    issuer,
    metadataIssuer: null,
    forgery: {},
    callback(authorizationUrl) {
      const { searchParams } = new URL(authorizationUrl);
      nonce = searchParams.get('nonce');
      return `/console/auth/callback?code=x&state=${searchParams.get('state')}`;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  function respond(path: string): object {
    if (path === '/jwks') return { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'current', use: 'sig' }] };
    if (path === '/token') return { access_token: 'x', token_type: 'Bearer', id_token: issueIdToken() };
    return {
      issuer: tokenIssuer.metadataIssuer ?? issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }
  function issueIdToken(): string {
    const now = Math.floor(Date.now() / 1_000);
    const valid = { iss: issuer, aud: clientId, sub: 'ada', iat: now, exp: now + 60, nonce, groups: ['admins'] };
    const { header = { alg: 'RS256', kid: 'current' }, claims, key = privateKey } = tokenIssuer.forgery;
    const signed = [header, { ...valid, ...claims }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${signed}.${key === null ? '' : createSign('sha256').update(signed).sign(key, 'base64url')}`;
  }
  return tokenIssuer;
}
