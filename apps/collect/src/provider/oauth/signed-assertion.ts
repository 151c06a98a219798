import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { ProviderFailure } from '../provider-failure.ts';

/** Of an assertion; providers allow 5 minutes to an hour. */
const lifetimeSeconds = 300;

/** The claims that differ between providers; the times and the id are added. */
export interface AssertionClaims {
  readonly iss: string;
  readonly aud: string;
  readonly sub: string;
  readonly scope?: string;
}

/**
 * A signed JWT (RFC 7523) by which a token is requested.
 *
 * @param header of the key, such as `kid` or a thumbprint
 */
export function signAssertion(
  key: KeyObject,
  algorithm: 'RS256' | 'PS256',
  header: Readonly<Record<string, string>>,
  claims: AssertionClaims,
): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...header })
    .setIssuedAt()
    .setExpirationTime(`${lifetimeSeconds}s`)
    .setJti(randomUUID())
    .sign(key);
}

/** Reads an RSA key, as PEM or JWK. The failure does not contain its text. */
export function parsePrivateKey(key: string | Readonly<Record<string, unknown>>): KeyObject {
  try {
    const parsed = createPrivateKey(typeof key === 'string' ? key : { key: { ...key }, format: 'jwk' });
    if (parsed.asymmetricKeyType === 'rsa') return parsed;
  } catch {
    // Described below.
  }
  throw new ProviderFailure('refused', 'the secret file contains no private RSA key, or an encrypted one');
}
