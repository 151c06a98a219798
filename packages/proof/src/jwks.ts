import { fromBase64url, toBase64url } from './base64url.ts';
import { canonicalize } from './canonical.ts';

/** A public Ed25519 key as RFC 8037 writes it. */
export interface PublicKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly alg: 'EdDSA';
  readonly use: 'sig';
  readonly kid: string;
  readonly x: string;
}

export interface KeySet {
  readonly keys: readonly PublicKey[];
}

/** A key or key set is invalid. The message is for the person who configured or fetched it. */
export class InvalidKeyError extends Error {}

/**
 * The Ed25519 keys of a JWKS document (RFC 7517). Keys of other kinds are ignored, as the RFC requires; a private key, a key
 * without `kid`, a second key of the same `kid` or a point that is not 32 bytes of canonical base64url is rejected.
 *
 * @throws InvalidKeyError
 */
export function parseJwks(text: string): KeySet {
  const document = parse(text);
  if (!isObject(document) || !Array.isArray(document.keys))
    throw new InvalidKeyError('a JWKS is an object with "keys"');
  const keys = document.keys.filter(isEd25519).map(parsePublicKey);
  if (new Set(keys.map((key) => key.kid)).size < keys.length) throw new InvalidKeyError('two keys have the same kid');
  return { keys };
}

/** @throws InvalidKeyError */
export function parsePublicKey(jwk: Readonly<Record<string, unknown>>): PublicKey {
  if ('d' in jwk) throw new InvalidKeyError('a set of public keys must not contain a private key');
  if (typeof jwk.kid !== 'string' || jwk.kid === '') throw new InvalidKeyError('a key without kid');
  if (jwk.alg !== undefined && jwk.alg !== 'EdDSA') throw new InvalidKeyError(`key ${jwk.kid}: alg must be EdDSA`);
  if (jwk.use !== undefined && jwk.use !== 'sig') throw new InvalidKeyError(`key ${jwk.kid}: use must be sig`);
  if (typeof jwk.x !== 'string' || fromBase64url(jwk.x)?.length !== 32)
    throw new InvalidKeyError(`key ${jwk.kid}: x must be 32 bytes in canonical base64url`);
  return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: jwk.kid, x: jwk.x };
}

/** The thumbprint (RFC 7638), used as the name of a key without `kid`. */
export async function computeThumbprint(x: string): Promise<string> {
  const named = new TextEncoder().encode(canonicalize({ crv: 'Ed25519', kty: 'OKP', x }));
  return toBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', named)));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidKeyError('not JSON');
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEd25519 = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && value.kty === 'OKP' && value.crv === 'Ed25519';
