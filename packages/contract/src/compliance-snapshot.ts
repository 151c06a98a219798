import { z } from 'zod';
import { history } from './operation.ts';
import { instant, nullableText } from './scalar.ts';

export const snapshotTriggers = ['scheduled', 'manual'] as const;

/** A dated compliance status. Members stand in this order in every stored and served document. */
const complianceSnapshot = z
  .object({
    id: z.string().meta({ description: 'Id of the snapshot.' }),
    takenAt: instant('When it was taken and its status evaluated. Later than that of every earlier one.'),
    trigger: z.string().meta({ description: 'scheduled (one a week) or manual.' }),
    takenBy: z.string().meta({ description: 'scheduler, or who asked for it.' }),
    period: nullableText(
      'ISO week of a scheduled one in the time zone of the tenant, such as 2026-W47; null for manual ones.',
    ),
    late: z.boolean().meta({ description: 'Whether a scheduled one was made up after its week.' }),
    catalogueVersion: z.string().meta({ description: 'Version of the requirement catalogue it was evaluated by.' }),
    previousSha256: nullableText('sha256 of the snapshot before it; null for the first.'),
    sha256: z.string().length(64).meta({
      description:
        'SHA-256 in lower-case hexadecimal of the RFC 8785 form of { id, takenAt, trigger, takenBy, period, late, catalogueVersion, previousSha256, status }.',
    }),
    signature: nullableText(
      'Detached JWS (EdDSA) over the text of sha256, by a key of /evidence/jwks.json; null where the service signs nothing.',
    ),
    status: z.object({}).meta({ description: 'The whole compliance status document as of takenAt.' }),
  })
  .meta({
    id: 'ComplianceSnapshot',
    description: 'A compliance status that is kept. It never changes; each names the digest of the one before it.',
  });

/** The status is whatever the document was when it was taken. */
export type ComplianceSnapshot = Omit<z.infer<typeof complianceSnapshot>, 'status'> & { readonly status: object };

/** What the digest of a snapshot is over. */
export const sealedSnapshotMembers = [
  'id',
  'takenAt',
  'trigger',
  'takenBy',
  'period',
  'late',
  'catalogueVersion',
  'previousSha256',
  'status',
] as const satisfies readonly (keyof ComplianceSnapshot)[];

/** The bytes of documents at which a page ends before its limit; one row is always served. */
export const snapshotPageMaxBytes = 8_388_608;

export const listComplianceSnapshots = history({
  name: 'list_compliance_snapshots',
  path: '/compliance/snapshots',
  scope: 'evidence:read',
  summary: 'Compliance snapshots',
  description:
    'Compliance status documents as they were, newest first: one each ISO week, and those that somebody asked for. A week that was missed is made up once, late, and evaluated when it was made up. ' +
    'Snapshots never change. Each names the digest of the one before it, so a history that was altered or cut cannot be passed off as whole. A page ends before limit at 8 MiB, with at least one row; follow nextCursor while hasMore.',
  guidance:
    'Dated history of the compliance status, newest first: readiness, requirements and changes as of each week. Documents are large: ask with limit=1 or 2. Use it to see how posture developed; get_compliance_status tells how it is now.',
  textOfOthers: false,
  record: complianceSnapshot,
  newestFirst: 'takenAt',
  examples: [{ words: 'The latest one', input: { limit: '1' } }],
});
