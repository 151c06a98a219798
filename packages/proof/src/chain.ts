import type { JsonObject } from './canonical.ts';
import { digestOf } from './digest.ts';

/** One link: what the digest covers, `previousSha256` among its members, and the digest that was stored beside it. */
export interface Link {
  readonly body: JsonObject;
  readonly sha256: string;
}

export type ChainVerdict =
  | { readonly whole: true; readonly links: number; readonly head: string | null }
  | { readonly whole: false; readonly links: number; readonly broken: ChainBreak };

export interface ChainBreak {
  /** Place of the first link that does not hold, from 0; the number of links when the end is missing. */
  readonly index: number;
  readonly reason: 'altered' | 'notLinked' | 'tailMissing';
}

/**
 * Follows a chain from its oldest link: each digest is that of its body, each body names the digest before it, the first
 * names null. A chain whose newest links were cut off is whole by itself; give the `head` that was noted elsewhere to
 * find that too.
 */
export async function verifyChain(
  links: Iterable<Link> | AsyncIterable<Link>,
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
    if ((await digestOf(link.body)) !== link.sha256) return broken('altered');
    if (link.body.previousSha256 !== previous) return broken('notLinked');
    previous = link.sha256;
    headSeen ||= link.sha256 === head;
    index += 1;
  }
  if (!headSeen) return { whole: false, links: index, broken: { index, reason: 'tailMissing' } };
  return { whole: true, links: index, head: previous };
}
