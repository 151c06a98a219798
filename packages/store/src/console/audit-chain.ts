import { createHash } from 'node:crypto';
import { canonicalize, type Json, NotCanonicalError } from '@tenantscope/proof';
import { z } from 'zod';

/** Accepts any content: an altered event must be reported, not fail to parse. */
const json = z.custom<Readonly<Record<string, unknown>> | null>(() => true);

/** An action of an administrator: a link of its organization's chain. */
export const adminEvent = z.object({
  number: z.number().describe('Position in the chain of the organization: 1, 2, 3 and so on, without gaps.'),
  at: z.string().describe('Time by the clock of the database, UTC with milliseconds.'),
  actor: z.string().describe('Who acted: see below.'),
  sessionId: z.string().nullable().describe('Session of the console; null for others.'),
  requestId: z.string().nullable().describe('Id of the request to the console; null for others.'),
  address: z.string().nullable().describe('Network address of the request; null for events from the host.'),
  action: z.string().describe('What was done: see below.'),
  subjectType: z
    .string()
    .describe('What it was done to: the table of the row, such as `tenant`, `api_key` or `member`.'),
  subjectId: z.string().describe('Id of that row.'),
  before: json.describe('The row before the change, without hashes and secrets; null for a created row.'),
  after: json.describe('The row after the change, or the details of an action; null for a removed row.'),
  previousSha256: z.string().nullable().describe('`sha256` of the event before it; null for the first.'),
  sha256: z
    .string()
    .describe(
      'SHA-256 over `previousSha256` as bytes and the RFC 8785 form of `chain` (the organization) and all other members of this table; `address` only where there is one.',
    ),
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
