import { canonicalize, type Json } from './canonical.ts';

/** SHA-256 in lower-case hex. A text counts as its UTF-8 bytes. */
export async function sha256Hex(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** SHA-256, lower-case hex, of the RFC 8785 text of a value. */
export const digestJson = (value: Json): Promise<string> => sha256Hex(canonicalize(value));

/** SHA-256, lower-case hex, of the names of an object's members in their order, separated by commas: which members a row has. */
export const digestMemberNames = (row: object): Promise<string> => sha256Hex(Object.keys(row).join());

export const isDigest = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

/** The first 16 bytes of a digest as a UUID of version 8 (RFC 9562: version and variant bits set, the rest is custom). */
export function uuidV8FromDigest(sha256: string): string {
  if (!isDigest(sha256)) throw new TypeError('a digest is 64 lower-case hexadecimal digits');
  const variant = ((Number.parseInt(sha256.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    sha256.slice(0, 8),
    sha256.slice(8, 12),
    `8${sha256.slice(13, 16)}`,
    variant + sha256.slice(17, 20),
    sha256.slice(20, 32),
  ].join('-');
}
