import { isUtf8 } from 'node:buffer';

/** Bytes as a lossless string for JSON. */
export interface EncodedBytes {
  readonly encoding: 'utf8' | 'base64';
  readonly text: string;
  readonly bytes: number;
}

export function encodeBytes(bytes: Buffer | null): EncodedBytes | null {
  if (bytes === null) return null;
  const encoding = isUtf8(bytes) ? 'utf8' : 'base64';
  return { encoding, text: bytes.toString(encoding), bytes: bytes.length };
}
