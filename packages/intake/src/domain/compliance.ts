import { severities } from '@tenantscope/contract';
import { z } from 'zod';
import { isRejection, type Rejection } from '../rejection.ts';
import type { Arrival, DomainKind, Said } from './domain-record.ts';
import { broken, conform, count, instantOf, statefulPayload, text, time } from './payload.ts';
import { projected } from './projection.ts';

const verdicts = ['compliant', 'partial', 'non_compliant', 'not_applicable'] as const;
const tenantFactKeys = [
  'publicAuthority',
  'financialEntity',
  'essentialEntity',
  'importantEntity',
  'usesHighRiskAi',
] as const;
const decisionOutcomes = ['approved', 'restricted', 'blocked', 'accepted', 'reviewed'] as const;
const riskClasses = ['prohibited', 'high', 'transparency', 'minimal', 'unclassified'] as const;

/** Laws and requirements are known elsewhere: a key is any text that looks like one. */
const requirementKey = z
  .string()
  .max(120)
  .regex(/^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+$/, 'expected words of lower case joined by dots')
  .meta({ description: 'Key of the requirement, such as iam.mfa.members.' });
const frameworkKey = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'expected one word of lower case')
  .meta({ description: 'Key of the framework, such as nis2.' });
const subject = z
  .object({ type: z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'expected one word'), id: text.min(1) })
  .meta({ description: 'What it is about, such as an agent or an app.' });
const points = z.number().min(0);

/** What is attested, decided and told about a tenant. Members beyond these are kept as they came. */
export const compliancePayloads = {
  attestation: statefulPayload.extend({
    requirementKey,
    subject: subject.nullish(),
    verdict: z.enum(verdicts),
    justification: text.nullish().meta({ description: 'Required where the verdict is not_applicable.' }),
    attestedBy: text.min(1),
    attestedAt: time,
    validUntil: time.nullish(),
    evidenceRefs: z.array(text).nullish(),
  }),
  frameworkSelection: statefulPayload.extend({ framework: frameworkKey, selected: z.boolean() }),
  tenantFact: statefulPayload.extend({ key: z.enum(tenantFactKeys), value: z.boolean() }),
  decision: statefulPayload.extend({
    subject,
    outcome: z.enum(decisionOutcomes),
    by: text.min(1),
    at: time,
    purpose: text.nullish(),
    dataCategories: z.array(text).nullish(),
  }),
  riskClass: statefulPayload.extend({ subject, class: z.enum(riskClasses) }),
  sourceStatus: statefulPayload.extend({
    source: text.min(1),
    enabled: z.boolean(),
    licensed: z.boolean().nullish(),
    connectedAt: time.nullish(),
    lastCompleteImportAt: time.nullish(),
    gaps: z.array(z.object({ from: time, to: time, reason: text.nullish() })).nullish(),
  }),
  policy: statefulPayload.extend({
    name: text,
    enabled: z.boolean(),
    severity: z.enum(severities).nullish(),
    subjectType: text.nullish(),
    aiSubject: z.boolean().nullish(),
  }),
  detector: statefulPayload.extend({
    name: text,
    enabled: z.boolean(),
    entityTypes: z.array(text).nullish(),
    lastRunAt: time.nullish(),
  }),
  /** Graph's secureScore, with its control profiles beside it. */
  securityScore: statefulPayload.extend({
    createdDateTime: time,
    currentScore: points,
    maxScore: points,
    licensedUserCount: count.nullish(),
    activeUserCount: count.nullish(),
    enabledServices: z.array(text).nullish(),
    vendorInformation: z.object({ vendor: text.nullish(), provider: text.nullish() }).nullish(),
    averageComparativeScores: z.array(z.object({ basis: text, averageScore: points })).nullish(),
    controlScores: z
      .array(z.object({ controlName: text, controlCategory: text.nullish(), score: points.nullish() }))
      .nullish(),
    controlProfiles: z
      .array(z.object({ id: text, title: text.nullish(), maxScore: points.nullish() }))
      .nullish()
      .meta({ description: "Graph's secureScoreControlProfile of each control." }),
  }),
} as const;

type ComplianceKind = keyof typeof compliancePayloads;

export const compliance: readonly DomainKind[] = (Object.keys(compliancePayloads) as ComplianceKind[]).map((kind) => ({
  name: kind,
  isDeletable: false,
  isImmutable: false,
  rowOf: (tenantId, id) => ({ table: 'compliance_record', tenantId, id: rowId(kind, id) }),
  read: (arrival) => read(kind, arrival),
}));

function read(kind: ComplianceKind, arrival: Arrival): Said | Rejection {
  const state = conform<z.ZodType<Shared>>(compliancePayloads[kind], arrival.plain);
  if (isRejection(state)) return state;
  const fault = faultOf(state);
  if (fault !== null) return fault;
  const { id: recordId, payload } = arrival;
  return projected(
    'compliance_record',
    { ...arrival, id: rowId(kind, recordId) },
    {
      columns: {
        kind,
        record_id: recordId,
        subject_type: state.subject?.type ?? null,
        subject_id: state.subject?.id ?? null,
        requirement_key: state.requirementKey ?? null,
      },
      times: { changed_at: instantOf(state.changedAt) },
      members: { kind, recordId, payload },
      detail: null,
    },
  );
}

/** What members say only together. */
function faultOf(state: Shared): Rejection | null {
  if (state.verdict === 'not_applicable' && !state.justification?.trim())
    return broken('justification', 'expected a text where the verdict is not_applicable');
  if (state.attestedAt != null && state.validUntil != null && instantOf(state.validUntil) < instantOf(state.attestedAt))
    return broken('validUntil', 'expected a time not before attestedAt');
  const backwards = state.gaps?.findIndex(({ from, to }) => instantOf(to) < instantOf(from)) ?? -1;
  return backwards === -1 ? null : broken(`gaps.${backwards}.to`, 'expected a time not before from');
}

/** Ids are unique within a kind only, and hold no slash. */
function rowId(kind: ComplianceKind, id: string): string {
  return `${kind}/${id}`;
}

/** What rows are found by and what rules act on, as far as a kind has it. */
interface Shared {
  readonly changedAt: string;
  readonly subject?: { readonly type: string; readonly id: string } | null | undefined;
  readonly requirementKey?: string | undefined;
  readonly verdict?: string | undefined;
  readonly justification?: string | null | undefined;
  readonly attestedAt?: string | undefined;
  readonly validUntil?: string | null | undefined;
  readonly gaps?: readonly { readonly from: string; readonly to: string }[] | null | undefined;
}
