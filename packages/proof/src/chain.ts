import type { JsonObject } from './canonical.ts';
import { digestJson } from './digest.ts';

/** One link: the digested body, with `previousSha256` among its members, and the stored digest. */
export interface ChainLink {
  readonly body: JsonObject;
  readonly sha256: string;
}

export type ChainVerdict =
  | { readonly whole: true; readonly links: number; readonly head: string | null }
  | { readonly whole: false; readonly links: number; readonly broken: ChainBreak };

export interface ChainBreak {
  /** Index of the first invalid link, from 0; the number of links when the end is missing. */
  readonly index: number;
  readonly reason: 'altered' | 'notLinked' | 'tailMissing';
}

/**
 * Verifies a chain from its oldest link: each digest is that of its body, each body names the previous digest, the first
 * names null. A chain whose newest links were removed is intact; pass the `head` that was recorded elsewhere to detect that
 * too.
 */
export async function verifyChain(
  links: Iterable<ChainLink> | AsyncIterable<ChainLink>,
  head: string | null = null,
): Promise<ChainVerdict> {
  let previous: string | null = null;
  let index = 0;
  let headSeen = head === null;
  for await (const link of links) {
    const broken = (reason: ChainBreak['reason']): ChainVerdict => ({
      whole: false,
      links: index,
      broken: { index, reason },
    });
    if ((await digestJson(link.body)) !== link.sha256) return broken('altered');
    if (link.body.previousSha256 !== previous) return broken('notLinked');
    previous = link.sha256;
    headSeen ||= link.sha256 === head;
    index += 1;
  }
  if (!headSeen) return { whole: false, links: index, broken: { index, reason: 'tailMissing' } };
  return { whole: true, links: index, head: previous };
}
