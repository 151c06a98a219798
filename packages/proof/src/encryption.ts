import { fromBase64url } from './base64url.ts';
import { InvalidKeyError } from './jwks.ts';

/** A public X25519 key (RFC 8037): its `x`, 32 bytes in base64url. */
export type RecipientKey = string;

// Loaded when a key is used: every process imports this package, few encrypt.

const curve = { kty: 'OKP', crv: 'X25519' } as const;
const algorithm = 'ECDH-ES';
const encryption = 'A256GCM';

/**
 * Encrypts a text for the holder of a key: a compact JWE (RFC 7516) by ECDH-ES and A256GCM, which any JOSE library opens.
 * Each call uses a new ephemeral key, so that equal texts have different results.
 *
 * @throws InvalidKeyError for a key that is not 32 bytes in canonical base64url, or a point of low order
 */
export async function encryptFor(recipient: RecipientKey, text: string): Promise<string> {
  if (fromBase64url(recipient)?.length !== 32)
    throw new InvalidKeyError('a recipient key is the x of an X25519 key: 32 bytes in canonical base64url');
  const { CompactEncrypt, importJWK } = await import('jose');
  try {
    return await new CompactEncrypt(new TextEncoder().encode(text.toWellFormed()))
      .setProtectedHeader({ alg: algorithm, enc: encryption })
      .encrypt(await importJWK({ ...curve, x: recipient }, algorithm));
  } catch (cause) {
    throw new InvalidKeyError('the key is not a usable X25519 key', { cause });
  }
}

/**
 * Decrypts what `encryptFor` wrote, with the private key as JWK text.
 *
 * @throws InvalidKeyError for another kind of key, or if the text was not encrypted for it or was altered
 */
export async function decryptWith(privateJwk: string, jwe: string): Promise<string> {
  const key = await importPrivateKey(privateJwk);
  const { compactDecrypt, errors } = await import('jose');
  try {
    const { plaintext } = await compactDecrypt(jwe, key, {
      keyManagementAlgorithms: [algorithm],
      contentEncryptionAlgorithms: [encryption],
    });
    return new TextDecoder('utf-8', { fatal: true }).decode(plaintext);
  } catch (cause) {
    if (cause instanceof errors.JWEDecryptionFailed)
      throw new InvalidKeyError('the key does not open it, or it was altered', { cause });
    throw new InvalidKeyError('not a compact JWE by ECDH-ES (X25519) and A256GCM', { cause });
  }
}

/** A new key pair: the private JWK to keep, and the public part to send with a request. */
export async function generateRecipientKey(): Promise<{ readonly privateJwk: string; readonly publicKey: string }> {
  const pair = await crypto.subtle.generateKey('X25519', true, ['deriveBits']);
  if (!('privateKey' in pair)) throw new TypeError('X25519 must generate a key pair');
  const { d, x = '' } = await crypto.subtle.exportKey('jwk', pair.privateKey);
  return { privateJwk: JSON.stringify({ ...curve, d, x }), publicKey: x };
}

async function importPrivateKey(text: string) {
  const { importJWK } = await import('jose');
  try {
    const { kty, crv, d, x } = JSON.parse(text);
    if (kty !== curve.kty || crv !== curve.crv || typeof d !== 'string') throw new TypeError('another kind of key');
    return await importJWK({ kty, crv, d, x }, algorithm);
  } catch {
    throw new InvalidKeyError('not a private X25519 key as JWK, with kty, crv, d and x');
  }
}
