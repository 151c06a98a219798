import { fromBase64url, toBase64url } from './base64url.ts';
import type { KeySet } from './jwks.ts';
import type { SigningKey } from './signing-key.ts';

/** The reason why a signature is rejected, or `valid`. */
export type SignatureVerdict = 'valid' | 'malformed' | 'unknownKey' | 'invalid';

/**
 * A detached compact JWS (RFC 7515 appendix F) by EdDSA: `header..signature`. The protected header is exactly
 * `{"alg":"EdDSA","kid":…}`.
 */
export async function signDetached(payload: string, key: SigningKey): Promise<string> {
  const header = protectedHeader(key.kid);
  const signature = await crypto.subtle.sign('Ed25519', key.private, signingInput(header, payload));
  return `${header}..${toBase64url(new Uint8Array(signature))}`;
}

/** The `kid` is read from the signature; only the protected header that `signDetached` writes is accepted. */
export async function verifyDetached(jws: string, payload: string, keys: KeySet): Promise<SignatureVerdict> {
  const kid = readKid(jws);
  const [header = '', , value = ''] = jws.split('.');
  const signature = fromBase64url(value);
  if (kid === null || signature?.length !== 64) return 'malformed';
  const found = keys.keys.find((key) => key.kid === kid);
  if (found === undefined) return 'unknownKey';
  const { kty, crv, x } = found;
  const key = await crypto.subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify']);
  return (await crypto.subtle.verify('Ed25519', key, signature, signingInput(header, payload))) ? 'valid' : 'invalid';
}

/**
 * The key id of a detached JWS, or null when it was not written by `signDetached`: other parts, another header,
 * non-canonical base64url.
 */
export function readKid(jws: string): string | null {
  const parts = jws.split('.');
  const [header = '', payload, value = ''] = parts;
  if (parts.length !== 3 || payload !== '' || fromBase64url(value) === null) return null;
  const bytes = fromBase64url(header);
  if (bytes === null) return null;
  const kid = /^\{"alg":"EdDSA","kid":(".*")\}$/s.exec(new TextDecoder().decode(bytes))?.[1];
  const read = kid === undefined ? null : readText(kid);
  return read !== null && protectedHeader(read) === header ? read : null;
}

const utf8 = new TextEncoder();

const protectedHeader = (kid: string) => toBase64url(utf8.encode(JSON.stringify({ alg: 'EdDSA', kid })));

const signingInput = (header: string, payload: string) => utf8.encode(`${header}.${toBase64url(utf8.encode(payload))}`);

function readText(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
