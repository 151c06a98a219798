import { createHash } from 'node:crypto';

/** The strong entity tag of a body before it is encoded. */
export const computeEntityTag = (body: Buffer | string): string =>
  `"${createHash('sha256').update(body).digest('base64url')}"`;

/** The tag of the body in a content coding: its bytes are other ones, so a strong tag is another one too. */
export const addCoding = (tag: string, coding: string): string => `${tag.slice(0, -1)}-${coding}"`;

/** The tag of an If-None-Match header that names this body, in whatever coding; null if none does. `*` is any body. */
export function findMatchingTag(header: string | undefined, tag: string): string | null {
  if (header === undefined) return null;
  if (header.trim() === '*') return tag;
  const found = header.split(',').map((text) => text.trim().replace(/^W\//, ''));
  return found.find((one) => one.replace(/-(gzip|zstd)"$/, '"') === tag) ?? null;
}
