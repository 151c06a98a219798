import { fromBase64url, toBase64url } from './base64url.ts';
import { canonicalize } from './canonical.ts';
import { InvalidKeyError } from './jwks.ts';

/** A public X25519 key (RFC 8037): its `x`, 32 bytes in base64url. */
export type RecipientKey = string;

const curve = { kty: 'OKP', crv: 'X25519' } as const;
const algorithm = 'ECDH-ES';
const encryption = 'A256GCM';
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a text for the holder of a key: a compact JWE (RFC 7516) by ECDH-ES and A256GCM, which any JOSE library opens.
 * Each call uses a new ephemeral key, so that equal texts have different results.
 *
 * @throws InvalidKeyError for a key that is not 32 bytes in canonical base64url, or a point of low order
 */
export async function encryptFor(recipient: RecipientKey, text: string): Promise<string> {
  if (fromBase64url(recipient)?.length !== 32)
    throw new InvalidKeyError('a recipient key is the x of an X25519 key: 32 bytes in canonical base64url');
  const ephemeral = await crypto.subtle.generateKey('X25519', true, ['deriveBits']);
  if (!('privateKey' in ephemeral)) throw new TypeError('X25519 must generate a key pair');
  const { x = '' } = await crypto.subtle.exportKey('jwk', ephemeral.publicKey);
  const header = encode(canonicalize({ alg: algorithm, enc: encryption, epk: { ...curve, x } }));
  const key = await deriveKey(ephemeral.privateKey, recipient, 'encrypt');
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const sealed = new Uint8Array(
    await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv, additionalData: utf8.encode(header) },
      key,
      utf8.encode(text.toWellFormed()),
    ),
  );
  const [content, tag] = [sealed.subarray(0, -tagBytes), sealed.subarray(-tagBytes)];
  return `${header}..${toBase64url(iv)}.${toBase64url(content)}.${toBase64url(tag)}`;
}

/**
 * Decrypts what `encryptFor` wrote, with the private key as JWK text.
 *
 * @throws InvalidKeyError for another kind of key, or if the text was not encrypted for it or was altered
 */
export async function decryptWith(privateJwk: string, jwe: string): Promise<string> {
  const own = await importPrivateKey(privateJwk);
  const [header = '', wrapped, iv, content, tag, ...rest] = jwe.split('.');
  const epk = readEphemeralKey(header);
  const parts = [iv, content, tag].map((part) => fromBase64url(part ?? '!'));
  const [ivPart, contentPart, tagPart] = parts;
  if (epk === null || wrapped !== '' || rest.length > 0 || !ivPart || !contentPart || !tagPart)
    throw new InvalidKeyError('not a compact JWE by ECDH-ES (X25519) and A256GCM');
  const sealed = new Uint8Array([...contentPart, ...tagPart]);
  try {
    const key = await deriveKey(own, epk, 'decrypt');
    const opened = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv: ivPart, additionalData: utf8.encode(header) },
      key,
      sealed,
    );
    return new TextDecoder('utf-8', { fatal: true }).decode(opened);
  } catch (cause) {
    throw new InvalidKeyError('the key does not open it, or it was altered', { cause });
  }
}

/** A new key pair: the private JWK to keep, and the public part to send with a request. */
export async function generateRecipientKey(): Promise<{ readonly privateJwk: string; readonly publicKey: string }> {
  const pair = await crypto.subtle.generateKey('X25519', true, ['deriveBits']);
  if (!('privateKey' in pair)) throw new TypeError('X25519 must generate a key pair');
  const { d, x = '' } = await crypto.subtle.exportKey('jwk', pair.privateKey);
  return { privateJwk: JSON.stringify({ ...curve, d, x }), publicKey: x };
}

type PrivateKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const utf8 = new TextEncoder();
const encode = (text: string): string => toBase64url(utf8.encode(text));

async function importPrivateKey(text: string): Promise<PrivateKey> {
  try {
    const { kty, crv, d, x } = JSON.parse(text);
    return await crypto.subtle.importKey('jwk', { kty, crv, d, x }, 'X25519', false, ['deriveBits']);
  } catch {
    throw new InvalidKeyError('not a private X25519 key as JWK, with kty, crv, d and x');
  }
}

function readEphemeralKey(header: string): string | null {
  try {
    const { alg, enc, epk } = JSON.parse(new TextDecoder().decode(fromBase64url(header) ?? undefined));
    const isSupported = alg === algorithm && enc === encryption && epk.kty === curve.kty && epk.crv === curve.crv;
    return isSupported && fromBase64url(epk.x)?.length === 32 ? epk.x : null;
  } catch {
    return null;
  }
}

/** The agreed secret, through the Concat KDF of RFC 7518 §4.6.2 without party information. */
async function deriveKey(own: PrivateKey, other: string, usage: 'encrypt' | 'decrypt'): Promise<PrivateKey> {
  try {
    const key = await crypto.subtle.importKey('jwk', { ...curve, x: other }, 'X25519', false, []);
    const agreed = new Uint8Array(await crypto.subtle.deriveBits({ name: 'X25519', public: key }, own, 256));
    const digest = await crypto.subtle.digest('SHA-256', new Uint8Array([...bigEndian(1), ...agreed, ...otherInfo]));
    return await crypto.subtle.importKey('raw', digest, 'AES-GCM', false, [usage]);
  } catch (cause) {
    throw new InvalidKeyError('the key is not a usable X25519 key', { cause });
  }
}

const bigEndian = (value: number): readonly number[] => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);

const otherInfo = [
  ...bigEndian(encryption.length),
  ...utf8.encode(encryption),
  ...bigEndian(0),
  ...bigEndian(0),
  ...bigEndian(256),
];
