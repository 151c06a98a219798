import { z } from 'zod';
import { unfilteredList } from '../operation/operation.ts';
import { choices } from '../parameter/parameter.ts';
import { views } from '../parameter/view.ts';
import { instant, nullableText } from '../record/scalar.ts';

/** A dated compliance status. Stored and served documents have the members in this order. */
const complianceSnapshot = z
  .object({
    id: z.string().meta({ description: 'Id of the snapshot.' }),
    takenAt: instant('When it was taken and its status evaluated. Later than takenAt of every earlier snapshot.'),
    trigger: z.string().meta({ description: 'scheduled (one a week) or manual.' }),
    takenBy: z.string().meta({ description: 'scheduler, or the user who requested it.' }),
    period: nullableText(
      'ISO week of a scheduled snapshot in the time zone of the tenant, such as 2026-W47; null for manual snapshots.',
    ),
    late: z.boolean().meta({ description: 'Whether a scheduled snapshot was backfilled after its week.' }),
    catalogueVersion: z.string().meta({ description: 'Version of the requirement catalogue that was applied.' }),
    previousSha256: nullableText('sha256 of the previous snapshot; null for the first.'),
    sha256: z.string().length(64).meta({
      description:
        'SHA-256 in lower-case hexadecimal of the RFC 8785 form of { id, takenAt, trigger, takenBy, period, late, catalogueVersion, previousSha256, status }.',
    }),
    signature: nullableText(
      'Detached JWS (EdDSA) over the text of sha256, by a key of /evidence/jwks.json; null if no signing key is configured.',
    ),
    status: z.object({}).meta({ description: 'The compliance status document as of takenAt.' }),
  })
  .meta({
    id: 'ComplianceSnapshot',
    description: 'A stored compliance status. Snapshots never change; each contains the digest of the previous one.',
  });

/** The status is the document at the time of the snapshot, in its format of then. */
export type ComplianceSnapshot = Omit<z.infer<typeof complianceSnapshot>, 'status'> & { readonly status: object };

/** The members that the digest of a snapshot covers. */
export const snapshotDigestMembers = [
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

const snapshots = unfilteredList({
  name: 'list_compliance_snapshots',
  path: '/compliance/snapshots',
  scope: 'evidence:read',
  summary: 'Compliance snapshots',
  description:
    'Stored compliance status documents, newest first: one per ISO week, and manual ones. A missed week is backfilled once and evaluated at that time, with late set. ' +
    'Snapshots never change. Each contains the digest of the previous one, so an altered or truncated history is detectable. With view=summary the digest is still that of the whole document. A page ends before limit at 8 MiB of documents, with at least one row; follow nextCursor while hasMore.',
  toolDescription:
    'Dated history of the compliance status, newest first: readiness, requirements and changes as of each week. Documents are large: use view=summary. Use it to see how posture developed; get_compliance_status returns the current state.',
  containsUntrustedText: false,
  record: complianceSnapshot,
  newestFirst: 'takenAt',
  examples: [{ description: 'The latest snapshot', input: { limit: '1', view: 'summary' } }],
});

const view = choices(views, 'With summary, statuses have no rows.', 'summary', {
  brief: 'summary: no rows.',
});

export const listComplianceSnapshots = {
  ...snapshots,
  filters: { view },
  parameters: { view, ...snapshots.parameters },
} as const;
