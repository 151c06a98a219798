import { z } from 'zod';
import { relatedHistory } from '../operation/operation.ts';
import { instant, nullableText } from '../record/scalar.ts';

const text = (description: string) => z.string().meta({ description });
const number = (description: string) => z.number().nullable().meta({ description });
const whole = (description: string) => z.int().min(0).nullable().meta({ description });
const percent = (description: string) => z.int().min(0).max(100).nullable().meta({ description });

/** A snapshot without its document. */
export const snapshotReference = z
  .object({
    id: text('Its id.'),
    trigger: text('scheduled or manual.'),
    period: nullableText('ISO week of a scheduled snapshot.'),
    late: z.boolean().meta({
      description: 'Backfilled after its week: what applied in that week is unknown. Not a point of a trend.',
    }),
    catalogueVersion: text('Version of the catalogue that was applied.'),
    evaluatorVersion: nullableText('Version of the evaluation rules that were applied.'),
  })
  .meta({ id: 'SnapshotReference' });

/** What tells apart points of a trend and weeks that were evaluated afterwards or not at all. */
const snapshotMembers = {
  takenAt: instant('When the snapshot was taken: its figures are those of this time.'),
  snapshot: snapshotReference,
  missedWeeks: whole('Weeks without a snapshot before that of a scheduled one: what applied then is unknown.'),
  comparable: z.boolean().nullable().meta({
    description: 'Whether the snapshot before it has the same versions; null for the first.',
  }),
};

const requirementPoint = z
  .object({
    ...snapshotMembers,
    status: nullableText('As in /compliance/status; null if the snapshot has no such requirement.'),
    evaluation: nullableText('Basis of the status.'),
    reason: nullableText('Reason of the status.'),
    metric: z
      .object({ name: text('Name.'), value: number('Value without exceptions.') })
      .nullable()
      .meta({ description: 'The metric that is compared with the thresholds.' }),
    unknownCount: whole('Subjects whose state was unknown.'),
    exceptedCount: whole('Subjects that exceptions covered.'),
    statusWithoutExceptions: nullableText('The status without exceptions.'),
  })
  .meta({ id: 'RequirementHistoryPoint', description: 'A requirement in a stored snapshot.' });

const frameworkPoint = z
  .object({
    ...snapshotMembers,
    selected: z.boolean().nullable().meta({ description: 'Whether it was selected; null if the snapshot lacks it.' }),
    readinessPercent: percent('floor(100 × met / applicable).'),
    readinessPercentWithoutExceptions: percent('The same without metWithExceptionsCount.'),
    coveragePercent: percent('floor(100 × evaluated / applicable).'),
    metCount: whole('Requirements met.'),
    metWithExceptionsCount: whole('Of these, only because of exceptions.'),
    atRiskCount: whole('At risk.'),
    notMetCount: whole('Not met.'),
    notEvaluatedCount: whole('Not evaluated.'),
    notApplicableCount: whole('Not applicable.'),
  })
  .meta({ id: 'FrameworkHistoryPoint', description: 'A framework in a stored snapshot.' });

export type SnapshotReference = z.infer<typeof snapshotReference>;
export type RequirementHistoryPoint = z.infer<typeof requirementPoint>;
export type FrameworkHistoryPoint = z.infer<typeof frameworkPoint>;

/** Snapshots after which a page ends before its limit: each is read as a whole document. */
export const historyPageMax = 100;

const basis = `Newest first, at most ${historyPageMax} on a page. Draw late snapshots and missedWeeks as such, not as a trend.`;

export const listRequirementHistory = relatedHistory({
  name: 'list_requirement_history',
  path: '/compliance/requirements/{id}/history',
  scope: 'evidence:read',
  summary: 'History of a requirement',
  description: `Status and metric of a requirement in each stored snapshot. id is its key. ${basis}`,
  toolDescription:
    'How one requirement developed: status and metric in each weekly snapshot, newest first. id: key of the requirement. late points show a later time than their week.',
  containsUntrustedText: false,
  record: requirementPoint,
  newestFirst: 'takenAt',
  exampleId: 'iam.mfa.members',
  examples: [{ description: 'The last quarter', input: { limit: '13' } }],
});

export const listFrameworkHistory = relatedHistory({
  name: 'list_framework_history',
  path: '/compliance/frameworks/{id}/history',
  scope: 'evidence:read',
  summary: 'History of a framework',
  description: `Readiness for a framework in each stored snapshot. id is its key or an alias. ${basis}`,
  toolDescription:
    'How readiness for a framework developed: percent and counts in each weekly snapshot, newest first. id: key such as nis2. late points show a later time than their week. Next: get_compliance_changes.',
  containsUntrustedText: false,
  record: frameworkPoint,
  newestFirst: 'takenAt',
  exampleId: 'nis2',
  examples: [{ description: 'The last quarter', input: { limit: '13' } }],
});
