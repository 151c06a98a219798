import { computeThumbprint, InvalidKeyError, type PublicKey, parsePublicKey } from './jwks.ts';

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

export interface SigningKey {
  readonly kid: string;
  readonly public: PublicKey;
  readonly private: CryptoKey;
}

/**
 * A private Ed25519 key from the text of a JWK (RFC 8037) or a PEM of PKCS #8. Without a `kid` its thumbprint is its name.
 * The private part of the result cannot be exported.
 *
 * @throws InvalidKeyError the message names the defect and never contains a part of the key
 */
export async function parseSigningKey(text: string, kid?: string): Promise<SigningKey> {
  const jwk = text.trimStart().startsWith('{') ? readJwk(text) : await readPem(text);
  if (jwk.kty !== 'OKP' || jwk.crv !== 'Ed25519')
    throw new InvalidKeyError('a signing key must be of kty OKP, crv Ed25519');
  const { d, x } = jwk;
  if (typeof d !== 'string' || typeof x !== 'string')
    throw new InvalidKeyError('a signing key needs its members d and x');
  const named = kid ?? (typeof jwk.kid === 'string' ? jwk.kid : await computeThumbprint(x));
  const key = await importPrivate({ kty: 'OKP', crv: 'Ed25519', d, x });
  return { kid: named, public: parsePublicKey({ kty: 'OKP', crv: 'Ed25519', kid: named, x }), private: key };
}

/** A new key, as the text of a private JWK that `readSigningKey` takes. */
export async function generateSigningKey(): Promise<string> {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  if (!('privateKey' in pair)) throw new TypeError('Ed25519 must generate a key pair');
  const { kty, crv, d, x } = await crypto.subtle.exportKey('jwk', pair.privateKey);
  return JSON.stringify({ kty, crv, d, x, kid: await computeThumbprint(x ?? '') });
}

function readJwk(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidKeyError('the signing key begins like a JWK but is not valid JSON');
  }
}

async function readPem(text: string): Promise<Record<string, unknown>> {
  const body = /^-----BEGIN PRIVATE KEY-----\s+([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----\s*$/.exec(text.trim())?.[1];
  if (body === undefined)
    throw new InvalidKeyError('a signing key is a private JWK, or PKCS #8 in PEM (BEGIN PRIVATE KEY)');
  try {
    const der = Uint8Array.from(atob(body.replace(/\s/g, '')), (character) => character.charCodeAt(0));
    const key = await crypto.subtle.importKey('pkcs8', der, 'Ed25519', true, ['sign']);
    return { ...(await crypto.subtle.exportKey('jwk', key)) };
  } catch {
    throw new InvalidKeyError('the PEM does not contain an Ed25519 key');
  }
}

async function importPrivate(jwk: { kty: string; crv: string; d: string; x: string }): Promise<CryptoKey> {
  try {
    return await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['sign']);
  } catch {
    throw new InvalidKeyError('the members d and x are not an Ed25519 key');
  }
}
