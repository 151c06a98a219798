import { createHash } from 'node:crypto';
import { canonicalize, type Json, NotCanonicalError } from '@tenantscope/proof';
import { z } from 'zod';

/** Accepts any content: an altered event must be reported, not fail to parse. */
const json = z.custom<Readonly<Record<string, unknown>> | null>(() => true);

/** An action of an administrator: a link of its organization's chain. */
export const adminEvent = z.object({
  number: z.number(),
  at: z.string(),
  actor: z.string(),
  sessionId: z.string().nullable(),
  requestId: z.string().nullable(),
  /** The network address of the request; null for events from the host. */
  address: z.string().nullable(),
  action: z.string(),
  subjectType: z.string(),
  subjectId: z.string(),
  before: json,
  after: json,
  previousSha256: z.string().nullable(),
  sha256: z.string(),
});
export type AdminEventLink = z.infer<typeof adminEvent>;

/** The last verified event; number 0 at the start. */
export interface ChainPosition {
  readonly number: number;
  readonly sha256: string | null;
}
export const chainStart: ChainPosition = { number: 0, sha256: null };

/** `missing`: the next number is missing. `altered`: the content does not match its digest. `notLinked`: it follows another event. */
export type ChainFault = 'missing' | 'altered' | 'notLinked';

/** Why an event does not follow the last one; null where it does. */
export function findChainFault(chain: string, last: ChainPosition, link: AdminEventLink): ChainFault | null {
  if (link.number !== last.number + 1) return 'missing';
  if (link.sha256 !== linkDigest(chain, link)) return 'altered';
  return link.previousSha256 === last.sha256 ? null : 'notLinked';
}

function linkDigest(chain: string, link: AdminEventLink): string | null {
  const { number, at, actor, sessionId, requestId, action, subjectType, subjectId, before, after, address } = link;
  const members = { chain, number, at, actor, sessionId, requestId, action, subjectType, subjectId, before, after };
  const text = canonicalOrNull(address === null ? members : { ...members, address });
  if (text === null) return null;
  return createHash('sha256')
    .update(Buffer.from(link.previousSha256 ?? '', 'hex'))
    .update(text)
    .digest('hex');
}

function canonicalOrNull(members: object): string | null {
  try {
    return canonicalize(members as Json);
  } catch (error) {
    if (error instanceof NotCanonicalError) return null;
    throw error;
  }
}
