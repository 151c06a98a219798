import { hash } from 'node:crypto';

/**
 * The key by which reads of a file are found: half of the SHA-256 of a name in lower case, as names of entities are stored. Names are addresses of up to
 * 2,000 characters, and of most of them nothing else is ever looked up.
 */
export const digestFileName = (name: string): Buffer => hash('sha256', name.toLowerCase(), 'buffer').subarray(0, 16);
