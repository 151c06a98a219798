import { createHash } from 'node:crypto';
import { canonical, type Json, NotCanonical } from '@tenantscope/proof';
import { z } from 'zod';

/** Whatever stands there is looked at: what was altered must be found, not be unreadable. */
const json = z.custom<Readonly<Record<string, unknown>> | null>(() => true);

/** What an administrator did, a link of its organization's chain. */
export const adminEvent = z.object({
  number: z.number(),
  at: z.string(),
  actor: z.string(),
  sessionId: z.string().nullable(),
  requestId: z.string().nullable(),
  /** From where; null where it came from the host itself, or before that was written down. */
  address: z.string().nullable(),
  act: z.string(),
  subjectType: z.string(),
  subjectId: z.string(),
  before: json,
  after: json,
  previousSha256: z.string().nullable(),
  sha256: z.string(),
});
export type AdminEventLink = z.infer<typeof adminEvent>;

/** The end of what was followed so far; of nothing: number 0. */
export interface ChainPlace {
  readonly number: number;
  readonly sha256: string | null;
}
export const beginning: ChainPlace = { number: 0, sha256: null };

/** `missing`: the number after the last one is not there. `altered`: what it says is not what was digested. `notLinked`: it follows another event. */
export type ChainFault = 'missing' | 'altered' | 'notLinked';

/** Why an event does not follow; null where it does. */
export function faultOf(chain: string, last: ChainPlace, link: AdminEventLink): ChainFault | null {
  if (link.number !== last.number + 1) return 'missing';
  if (link.sha256 !== linkDigest(chain, link)) return 'altered';
  return link.previousSha256 === last.sha256 ? null : 'notLinked';
}

function linkDigest(chain: string, link: AdminEventLink): string | null {
  const { number, at, actor, sessionId, requestId, act, subjectType, subjectId, before, after, address } = link;
  const members = { chain, number, at, actor, sessionId, requestId, act, subjectType, subjectId, before, after };
  const text = canonicalOrNull(address === null ? members : { ...members, address });
  if (text === null) return null;
  return createHash('sha256')
    .update(Buffer.from(link.previousSha256 ?? '', 'hex'))
    .update(text)
    .digest('hex');
}

function canonicalOrNull(members: object): string | null {
  try {
    return canonical(members as Json);
  } catch (error) {
    if (error instanceof NotCanonical) return null;
    throw error;
  }
}
