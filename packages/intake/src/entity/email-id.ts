import { hash } from 'node:crypto';
import { normaliseMessageId } from './aliases.ts';

/** The id of a message: a UUID of version 5 of its Message-ID without angle brackets, in lower case. */
export function computeEmailId(internetMessageId: string): string {
  const name = normaliseMessageId(internetMessageId) ?? '';
  const digest = hash('sha1', Buffer.concat([namespace, Buffer.from(name)]), 'buffer');
  digest[6] = ((digest[6] as number) & 0x0f) | 0x50;
  digest[8] = ((digest[8] as number) & 0x3f) | 0x80;
  const hex = digest.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The service's own namespace of Message-IDs; another one would give every message a second row. */
const namespace = Buffer.from('6f2c1f0a53f94b7f9f0a4d1f7a5c2be1', 'hex');
