import { createHash } from 'node:crypto';

/** The digest by which reads and interactions name a file, computed apart from the product: half of the SHA-256 of its name in lower case. */
export function digestName(name: string): string {
  const hex = createHash('sha256').update(name.toLowerCase()).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
