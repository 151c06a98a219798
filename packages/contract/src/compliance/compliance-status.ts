import { z } from 'zod';
import { document } from '../operation/operation.ts';
import { choice, choices, texts } from '../parameter/parameter.ts';
import { views } from '../parameter/view.ts';
import { instant, nullableInstant, nullableText } from '../record/scalar.ts';
import { frameworkKeys } from './framework.ts';

const text = (description: string) => z.string().meta({ description });
const whole = (description: string) => z.int().min(0).meta({ description });
const percent = (description: string) => z.int().min(0).max(100).nullable().meta({ description });
const number = (description: string) => z.number().nullable().meta({ description });
const keys = (description: string) => z.array(z.string()).meta({ description });
const firstDay = nullableText('First day it applies, YYYY-MM-DD; null if in force without a date.');
const inForce = z.boolean().meta({ description: 'Whether it applies at the time of evaluation.' });

const requirementStatuses = ['met', 'at_risk', 'not_met', 'not_evaluated'] as const;
const statusValues = 'met, at_risk, not_met or not_evaluated.';
const evaluationValues =
  'Basis of the status: measured (computed from data), attested (confirmed by a person), no_data (a source is missing, disabled, stale or reports a gap, or half of the subjects are unknown), manual (an attestation is missing or has expired) or not_applicable. The status is not_evaluated unless measured or attested.';

/** References of attestations and exceptions. */
export const evidenceRefs = z
  .array(
    z
      .object({
        uri: nullableText('Address of the document.'),
        sha256: nullableText('SHA-256 of the document, as stated.'),
        title: nullableText('Its title.'),
      })
      .meta({ id: 'EvidenceReference' }),
  )
  .meta({ description: 'References to the evidence. The service does not read the documents.' });

const attestationState = z.object({
  verdict: text('compliant, partial, non_compliant or not_applicable.'),
  justification: nullableText('Why.'),
  attestedBy: text('Attester.'),
  attestedAt: instant('When.'),
  validUntil: nullableInstant('End of its validity; null if open-ended.'),
  evidenceRefs,
  recordedBy: nullableText('Who wrote the record, as in the audit log; null if not stored.'),
  recordedAt: nullableInstant('When it was written.'),
  withdrawnAt: nullableInstant('From this time on it has no effect; null if not withdrawn.'),
  withdrawnBy: nullableText('Who withdrew it.'),
  withdrawalReason: nullableText('Why it was withdrawn.'),
});

/** The confirmation of a requirement by a person. */
const attestation = attestationState.extend({
  statedValidUntil: nullableInstant(
    'The end as stated, if it is later than the requirement allows and was shortened to validUntil; null otherwise.',
  ),
  history: z.array(attestationState).meta({ description: 'Earlier states, newest first, at most 20.' }),
});

/** An approved exception that is in force. */
const exceptionInForce = z.object({
  id: text('Its id.'),
  reason: text('Why its subjects are excepted.'),
  approvedBy: text('Who approved it.'),
  validFrom: instant('Since when it counts.'),
  validUntil: instant('From this time on its subjects count again.'),
  selection: text(
    'ids: it names its subjects. query: it covers every subject that its query matches, later ones included.',
  ),
  evidenceRefs,
  recordedBy: text('Who wrote the record, as in the audit log.'),
  recordedAt: instant('When it was written. It does not count before.'),
  count: whole('Failing and unknown subjects that it covers, in units of the metrics.'),
});

const exceptions = z.object({
  count: whole('Failing and unknown subjects that are excepted: the metric excepted.'),
  value: number(
    'The primary metric with excepted subjects taken as being in order, which is compared with the thresholds.',
  ),
  statusWithout: text('The status without exceptions.'),
  inForce: z.array(exceptionInForce).meta({ description: 'At most 50; the one that ends last comes first.' }),
  inForceCount: whole('How many are in force.'),
});

const bounds = z.union([z.number(), z.array(z.number()).min(2).max(2)]).nullable();

const requirement = z.object({
  key: text('Stable key.'),
  title: text('Name in English.'),
  titlePl: text('Name in Polish.'),
  area: text('Area, for example identity.'),
  description: text('What is measured or attested, in English.'),
  descriptionPl: text('The same in Polish.'),
  status: text(statusValues),
  evaluation: text(evaluationValues),
  reason: nullableText(
    'threshold, guard:<metric>, empty_population, source_missing, source_disabled, source_stale, source_gap, unknown, excepted (the thresholds are reached only because of exceptions), not_in_scope, attestation_missing, attestation_expired or attestation_withdrawn; null if the status follows from an attestation alone.',
  ),
  evaluatedAt: instant('When it was evaluated.'),
  dataAsOf: nullableInstant('How far the oldest of its sources reaches; null if no source ever reported.'),
  windowDays: z.int().nullable().meta({ description: 'Trailing days that are counted; null for the current state.' }),
  metricsJson: z.record(z.string(), z.number().nullable()).meta({
    description:
      'Metrics by name: numbers, or null if unknown. `unknown` counts subjects whose state is unknown: they belong to the population and to its faulty part, and so do those that `excepted` counts, which an exception covers. A boolean is 1 or 0; percentages are rounded to one decimal toward the worse side.',
  }),
  thresholds: z
    .object({
      primaryMetric: text('The metric that is compared with the thresholds.'),
      unit: text('percent, count, hours, minutes or days.'),
      direction: text('higher is better, lower is better, or range.'),
      met: bounds.meta({ description: 'Threshold of met; two bounds for a range.' }),
      atRisk: bounds.meta({ description: 'Threshold of at_risk; null: anything but met is not_met.' }),
      population: nullableText('The metric with the population; null: the denominator of the percentage.'),
    })
    .nullable()
    .meta({ description: 'Thresholds to evaluate the metrics again; null for attested requirements.' }),
  attestation: attestation.nullable().meta({
    description: 'The newest attestation. It never overrides a measurement.',
  }),
  exceptions: exceptions.nullable().meta({
    description:
      'Approved exceptions that are in force and what they change; null without any, or if either is not measured. metricsJson shows the value without them.',
  }),
  articles: z
    .array(
      z.object({
        id: text('Id of the article.'),
        framework: text('Key of the framework.'),
        ref: text('Citation.'),
        title: text('Name in English.'),
        titlePl: text('Name in Polish.'),
        appliesFrom: firstDay,
        inForce,
        weight: text(
          'main: its result shows whether the core of the duty is fulfilled. indicator: it is related to the duty, but does not show that it is fulfilled.',
        ),
      }),
    )
    .meta({ description: 'Every article that refers to it, in any framework.' }),
  evidenceSections: keys('Sections of the evidence pack with the supporting rows.'),
  findingsUrl: nullableText(
    'Where its failing and unknown subjects are listed, relative to the base address; null if its metrics count no subjects.',
  ),
});

const counts = {
  metCount: whole('Requirements met, each counted once.'),
  metWithExceptionsCount: whole('Of metCount: requirements that are met only because of exceptions.'),
  atRiskCount: whole('Requirements at risk.'),
  notMetCount: whole('Requirements not met.'),
  notEvaluatedCount: whole('Applicable requirements that are not evaluated.'),
  notApplicableCount: whole('Requirements that do not apply.'),
};

const articleCounts = z
  .object({
    met: whole('Met, with coverage main.'),
    metWithExceptions: whole(
      'Status met, with coverage main, where a requirement is met only because of exceptions. Not counted in met.',
    ),
    indicatorsMet: whole('Indicators in order: status met, with coverage indicator. Not to be reported as met.'),
    nothingToMeasure: whole(
      'Status met, with coverage null: nothing happened that could be measured. Not to be reported as met.',
    ),
    atRisk: whole('At risk.'),
    notMet: whole('Not met.'),
    notEvaluated: whole('Not evaluated.'),
    notApplicable: whole('Without an applicable requirement.'),
  })
  .meta({ description: 'Articles of controls by status and coverage, each counted once.' });

const framework = z.object({
  key: text('Key of the framework.'),
  name: text('Name in English.'),
  namePl: text('Name in Polish.'),
  reference: text('Where it is published.'),
  selected: z.boolean().meta({ description: 'Whether the tenant declared it applicable.' }),
  selectedAt: nullableInstant('Start of the selection.'),
  readinessPercent: percent(
    'floor(100 × met / applicable): requirements that are not evaluated count as not met; null if no requirement applies.',
  ),
  coveragePercent: percent('floor(100 × evaluated / applicable): the share of requirements with evidence.'),
  ...counts,
  articleCounts,
  controls: z
    .array(
      z.object({
        id: text('Id of the article.'),
        ref: text('Citation.'),
        title: text('Name in English.'),
        titlePl: text('Name in Polish.'),
        status: text(
          `The worst of its applicable requirements: ${statusValues} Read with coverage: only met with coverage main is met.`,
        ),
        evaluation: text('Basis of that status; not_applicable if no requirement of it applies.'),
        coverage: nullableText(
          'main: a main requirement applies and had something to measure. indicator: only indicators did; met then means "indicators in order", not that the article is met. null: no requirement applies or had anything to measure.',
        ),
        coverageNote: text('What is measured or attested for the article and what is not, in English.'),
        coverageNotePl: text('The same in Polish.'),
        requirementKeys: keys('Requirements that it depends on.'),
        appliesFrom: firstDay,
        inForce,
        metCount: whole('Requirements met.'),
        metWithExceptionsCount: whole('Of metCount: requirements that are met only because of exceptions.'),
        totalCount: whole('Requirements that it depends on.'),
      }),
    )
    .meta({ description: 'Articles of the framework that the catalogue covers.' }),
});

const state = z.object({ status: text(statusValues), evaluation: text('Basis of the status.') });
const change = z
  .object({
    key: text('Key of the requirement.'),
    from: state.meta({ description: 'In the snapshot.' }),
    to: state.meta({ description: 'Now.' }),
    metric: z
      .object({ name: text('Name.'), before: number('In the snapshot.'), after: number('Now.') })
      .nullable()
      .meta({ description: 'The metric that is compared with the thresholds; null for attested requirements.' }),
  })
  .meta({ id: 'RequirementChange' });
const changeList = (description: string) => z.array(change).meta({ description });
const keyList = (description: string) =>
  z.array(z.object({ key: text('Key of the requirement.') })).meta({ description });

/** How the requirements of a framework changed from a snapshot to a later status. */
export const frameworkChanges = z
  .object({
    framework: text('Key of the framework.'),
    baseline: z
      .object({
        snapshotId: text('Id of the snapshot.'),
        takenAt: instant('When it was taken.'),
        trigger: text('scheduled or manual.'),
        catalogueVersion: text('Version of the catalogue that was applied.'),
      })
      .nullable()
      .meta({ description: 'The latest snapshot; null before the first one, without a comparison.' }),
    readinessPercentBefore: percent('In the snapshot.'),
    readinessPercentNow: percent('Now; null without a snapshot.'),
    delta: z.int().nullable().meta({ description: 'Change in percentage points.' }),
    comparable: z.boolean().meta({
      description:
        'False if catalogue, evaluation rules, selection or articles differ: the delta is then not a change of posture.',
    }),
    improved: changeList('Status moved up: not_met, at_risk, met.'),
    regressed: changeList('Status moved down.'),
    evaluatedNow: changeList('Evaluated now, and not before.'),
    lostEvidence: changeList('Evaluated before, and not now. Not a regression.'),
    added: keyList('New in the framework.'),
    removed: keyList('Removed from the framework.'),
    selectionChanged: z.boolean().meta({ description: 'Whether it was selected or deselected since.' }),
  })
  .meta({ id: 'FrameworkChanges' });

export const complianceStatus = z
  .object({
    generatedAt: instant('When it was evaluated.'),
    catalogueVersion: text('Version of requirements, thresholds and articles.'),
    evaluatorVersion: text('Version of the evaluation rules.'),
    ...counts,
    totalCount: whole('Requirements of the selected frameworks.'),
    requirements: z.array(requirement).meta({ description: 'Requirements, each once.' }),
    frameworks: z.array(framework).meta({ description: 'Every registered framework, selected or not.' }),
    changes: z.array(frameworkChanges).meta({ description: 'Per framework, what changed since the latest snapshot.' }),
    limitations: z.array(z.string()).meta({ description: 'What the document does not cover, in English.' }),
    limitationsPl: z.array(z.string()).meta({ description: 'The same in Polish.' }),
  })
  .meta({
    id: 'ComplianceStatus',
    description:
      'Readiness for the selected frameworks, evaluated on request. The five counts cover the requirements of selected frameworks. Missing data never counts as met.',
  });

export type ComplianceStatus = z.infer<typeof complianceStatus>;
export type RequirementStatus = z.infer<typeof requirement>;
export type FrameworkStatus = z.infer<typeof framework>;
export type RequirementExceptions = NonNullable<RequirementStatus['exceptions']>;
export type AttestationState = z.infer<typeof attestationState>;
export type ComplianceChanges = z.infer<typeof frameworkChanges>;
export type ComplianceChange = z.infer<typeof change>;

export const getComplianceStatus = document({
  name: 'get_compliance_status',
  path: '/compliance/status',
  scope: 'evidence:read',
  tenant: 'required',
  returns: 'record',
  summary: 'Compliance status',
  description:
    'Requirements with their measured or attested status, frameworks (EU AI Act, NIS2, KSC, KRiBSI, GDPR, DORA, ISO/IEC 42001 and 27001, SOC 2, NIST CSF, HIPAA) rolled up from them by article, and changes since the latest snapshot. Evaluated on request. The filters narrow requirements and frameworks; counts and readiness remain those of the whole. Not legal advice.',
  toolDescription:
    'Compliance now: readiness per framework (EU AI Act, NIS2, KSC, GDPR, DORA, ISO, SOC 2, HIPAA), requirements met, at risk or not met, articles, changes since the last snapshot. An article is met only with coverage main; indicator: indicators in order. Large: begin with view=summary, then filter. Next: list_compliance_snapshots for history, get_agent_evidence_pack for proof.',
  containsUntrustedText: true,
  record: complianceStatus,
  representations: ['csv', 'oscal'],
  parameters: {
    view: choice(views, 'With summary, lists of rows are empty.', 'summary', {
      brief: 'summary: no rows.',
    }),
    framework: choices(frameworkKeys, 'Only these frameworks and their requirements.', 'nis2', { brief: '' }),
    status: choices(requirementStatuses, 'Only requirements with this status, and their articles.', 'not_met,at_risk', {
      brief: '',
    }),
    requirement: texts('Only these requirements, by key, and their articles.', 'iam.mfa.members', {
      brief: 'Keys.',
      refusesUnknown: true,
    }),
  },
  examples: [
    { description: 'How ready are we for NIS2?', input: { view: 'summary', framework: 'nis2' } },
    { description: 'One requirement with its figures', input: { requirement: 'iam.mfa.members', framework: 'nis2' } },
  ],
});
