import { z } from 'zod';
import { document } from './operation.ts';
import { instant, nullableInstant, nullableText } from './scalar.ts';

const text = (description: string) => z.string().meta({ description });
const whole = (description: string) => z.int().min(0).meta({ description });
const percent = (description: string) => z.int().min(0).max(100).nullable().meta({ description });
const number = (description: string) => z.number().nullable().meta({ description });
const keys = (description: string) => z.array(z.string()).meta({ description });
const firstDay = nullableText('First day it applies, YYYY-MM-DD; null where it is in force without a date.');
const inForce = z.boolean().meta({ description: 'Whether it applies at the time of evaluation.' });

const statusWords = 'met, at_risk, not_met or not_evaluated.';
const evaluationWords =
  'What the status rests on: measured (counted here), attested (vouched for by a person), no_data (a source is missing or stale), manual (an attestation is missing or has expired) or not_applicable. Without measured or attested the status is not_evaluated.';

/** What a person vouches for. */
const attestation = z.object({
  verdict: text('compliant, partial, non_compliant or not_applicable.'),
  justification: nullableText('Why.'),
  attestedBy: text('Who vouches for it.'),
  attestedAt: instant('When.'),
  validUntil: nullableInstant('Until when it holds; null where nobody said.'),
  evidenceRefs: keys('Where the evidence lies.'),
});

const bounds = z.union([z.number(), z.array(z.number()).min(2).max(2)]).nullable();

const requirement = z.object({
  key: text('Stable key.'),
  title: text('Name in English.'),
  titlePl: text('Name in Polish.'),
  area: text('What it belongs to, for example identity.'),
  description: text('What is measured or attested.'),
  status: text(statusWords),
  evaluation: text(evaluationWords),
  reason: nullableText(
    'threshold, guard:<metric>, empty_population, source_missing, source_stale, not_in_scope, attestation_missing or attestation_expired; null where the verdict of a person says it all.',
  ),
  evaluatedAt: instant('When it was evaluated.'),
  dataAsOf: nullableInstant('How far the oldest of its sources reaches; null where none was ever heard of.'),
  windowDays: z.int().nullable().meta({ description: 'Trailing days that count; null for the present state.' }),
  metricsJson: z.record(z.string(), z.number().nullable()).meta({
    description:
      'What was counted, by name: numbers, null where nothing can be said. A boolean is 1 or 0; percentages are cut to one decimal toward the worse side.',
  }),
  thresholds: z
    .object({
      primaryMetric: text('The metric that is judged.'),
      unit: text('percent, count, hours, minutes or days.'),
      direction: text('higher is better, lower is better, or range.'),
      met: bounds.meta({ description: 'Met from here on; two bounds for a range.' }),
      atRisk: bounds.meta({ description: 'At risk from here on; null: what is not met is not_met.' }),
      population: nullableText('The metric that counts what is judged; null: the denominator of the percentage.'),
    })
    .nullable()
    .meta({ description: 'To judge the metrics again; null where a person attests.' }),
  attestation: attestation.nullable().meta({
    description: 'The newest attestation. Beside a measurement it is shown and never overrides it.',
  }),
  articles: z
    .array(
      z.object({
        id: text('Id of the article.'),
        framework: text('Key of the framework.'),
        ref: text('How it is cited.'),
        title: text('Name in English.'),
        titlePl: text('Name in Polish.'),
        appliesFrom: firstDay,
        inForce,
      }),
    )
    .meta({ description: 'Every article of any framework that cites it.' }),
  evidenceSections: keys('Sections of the evidence pack that hold the rows behind it.'),
});

const counts = {
  metCount: whole('Requirements met, each counted once.'),
  atRiskCount: whole('Requirements at risk.'),
  notMetCount: whole('Requirements not met.'),
  notEvaluatedCount: whole('Requirements that apply and are not evaluated.'),
  notApplicableCount: whole('Requirements that do not apply.'),
};

const framework = z.object({
  key: text('Key of the framework.'),
  name: text('Name in English.'),
  namePl: text('Name in Polish.'),
  reference: text('Where it is published.'),
  selected: z.boolean().meta({ description: 'Whether the tenant declared that it applies.' }),
  selectedAt: nullableInstant('Since when.'),
  readinessPercent: percent(
    'floor(100 × met / applicable): what is not evaluated counts as not met; null where nothing applies.',
  ),
  coveragePercent: percent('floor(100 × evaluated / applicable): how much of it rests on evidence.'),
  ...counts,
  controls: z
    .array(
      z.object({
        id: text('Id of the article.'),
        ref: text('How it is cited.'),
        title: text('Name in English.'),
        titlePl: text('Name in Polish.'),
        status: text(`The worst of its applicable requirements: ${statusWords}`),
        evaluation: text('What that status rests on; not_applicable where none of its requirements applies.'),
        requirementKeys: keys('Requirements it rests on.'),
        appliesFrom: firstDay,
        inForce,
        metCount: whole('Requirements met.'),
        totalCount: whole('Requirements it rests on.'),
      }),
    )
    .meta({ description: 'Articles of the framework that the catalogue covers.' }),
});

const state = z.object({ status: text(statusWords), evaluation: text('What it rested on.') });
const change = z.object({
  key: text('Key of the requirement.'),
  from: state.meta({ description: 'In the snapshot.' }),
  to: state.meta({ description: 'Now.' }),
  metric: z
    .object({ name: text('Name.'), before: number('In the snapshot.'), after: number('Now.') })
    .nullable()
    .meta({ description: 'The metric that is judged; null where a person attests.' }),
});
const changeList = (description: string) => z.array(change).meta({ description });
const keyList = (description: string) =>
  z.array(z.object({ key: text('Key of the requirement.') })).meta({ description });

const changes = z.object({
  framework: text('Key of the framework.'),
  baseline: z
    .object({
      snapshotId: text('Id of the snapshot.'),
      takenAt: instant('When it was taken.'),
      trigger: text('scheduled or manual.'),
      catalogueVersion: text('Edition of the catalogue it was made by.'),
    })
    .nullable()
    .meta({ description: 'The latest snapshot; null before the first one, and then nothing is compared.' }),
  readinessPercentBefore: percent('In the snapshot.'),
  readinessPercentNow: percent('Now; null without a snapshot.'),
  delta: z.int().nullable().meta({ description: 'Points gained or lost.' }),
  comparable: z.boolean().meta({
    description: 'False where catalogue, selection or articles differ: the delta is then no change of posture.',
  }),
  improved: changeList('Status moved up: not_met, at_risk, met.'),
  regressed: changeList('Status moved down.'),
  evaluatedNow: changeList('Evaluated, and was not.'),
  lostEvidence: changeList('No longer evaluated, and was: no regression, and not hidden.'),
  added: keyList('New in the framework.'),
  removed: keyList('Gone from the framework.'),
  selectionChanged: z.boolean().meta({ description: 'Whether it was selected or deselected since.' }),
});

export const complianceStatus = z
  .object({
    generatedAt: instant('When it was evaluated.'),
    catalogueVersion: text('Edition of requirements, thresholds and articles.'),
    evaluatorVersion: text('Version of the rules that read them.'),
    ...counts,
    totalCount: whole('Requirements of the selected frameworks.'),
    requirements: z.array(requirement).meta({ description: 'What the organization does or measures, each once.' }),
    frameworks: z.array(framework).meta({ description: 'Every registered framework, selected or not.' }),
    changes: z.array(changes).meta({ description: 'Per framework, what changed since the latest snapshot.' }),
    limitations: z.array(z.string()).meta({ description: 'What the document does not say.' }),
  })
  .meta({
    id: 'ComplianceStatus',
    description:
      'How far selected frameworks are met, evaluated when asked. The five counts speak of the requirements of selected frameworks. Missing data never counts as met.',
  });

export type ComplianceStatus = z.infer<typeof complianceStatus>;
export type RequirementStatus = z.infer<typeof requirement>;
export type FrameworkStatus = z.infer<typeof framework>;
export type ComplianceChanges = z.infer<typeof changes>;
export type ComplianceChange = z.infer<typeof change>;

export const getComplianceStatus = document({
  name: 'get_compliance_status',
  path: '/compliance/status',
  scope: 'evidence:read',
  tenant: 'required',
  holds: 'one',
  summary: 'Compliance status',
  description:
    'Requirements with their measured or attested status, frameworks (EU AI Act, NIS2, KSC, KRiBSI, GDPR, DORA, ISO/IEC 42001 and 27001, SOC 2, NIST CSF, HIPAA) rolled up from them article by article, and what changed since the latest snapshot. Evaluated when asked. Not legal advice.',
  guidance:
    'Compliance now: readiness per framework (EU AI Act, NIS2, KSC, GDPR, DORA, ISO, SOC 2, HIPAA), requirements met, at risk or not met with their numbers, articles, what changed since the last snapshot. A large document. Next: list_compliance_snapshots for history, get_agent_evidence_pack for proof.',
  textOfOthers: true,
  record: complianceStatus,
  examples: [{ words: 'How ready are we for NIS2?', input: {} }],
});
