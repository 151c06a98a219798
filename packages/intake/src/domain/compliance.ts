import { severities } from '@tenantscope/contract';
import { z } from 'zod';
import { isRejection, type Rejection } from '../message/rejection.ts';
import type { DomainKind, DomainOutcome, ValidatedRecord } from './domain-record.ts';
import { checkException, subjectIds, subjectQuery } from './exception.ts';
import { count, parseInstant, parsePayload, rejectMember, statefulPayload, text, time } from './payload.ts';
import { toStateOutcome } from './projection.ts';

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

/** The catalogue is not known here: any text in the form of a key is accepted. */
const requirementKey = z
  .string()
  .max(120)
  .regex(/^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+$/, 'expected lower-case names joined by dots')
  .meta({ description: 'Key of the requirement, such as iam.mfa.members.' });
const frameworkKey = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'expected one lower-case name')
  .meta({ description: 'Key of the framework, such as nis2.' });
/** The id is in an index, whose entries have at most 2,704 bytes. */
const subject = z
  .object({
    type: z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'expected one name'),
    id: z.string().min(1).max(600),
  })
  .meta({ description: 'The subject, such as an agent or an app.' });
const evidenceReference = z.object({
  uri: text.min(1),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected 64 lower-case hexadecimal digits')
    .nullish()
    .meta({ description: 'SHA-256 of the document.' }),
  title: text.nullish(),
});
const evidenceRefs = z
  .array(z.union([text, evidenceReference]))
  .nullish()
  .meta({ description: 'The evidence: a text, or the address, digest and title of a document.' });
const withdrawal = {
  withdrawnAt: time.nullish().meta({ description: 'From this time on it has no effect. The record stays.' }),
  withdrawnBy: text.nullish().meta({ description: 'Who withdraws it; required with withdrawnAt.' }),
  withdrawalReason: text.nullish(),
};
const statedReason = text.regex(/\S/, 'expected a text');
/** A status, and with it a snapshot, has no number beyond 2^53 - 1. */
const points = z.number().min(0).max(Number.MAX_SAFE_INTEGER);

/** Attestations, decisions and other statements about a tenant. Other members are stored unchanged. */
export const compliancePayloads = {
  attestation: statefulPayload.extend({
    requirementKey,
    subject: subject.nullish(),
    verdict: z.enum(verdicts),
    justification: text.nullish().meta({ description: 'Required where the verdict is not_applicable.' }),
    attestedBy: text.min(1),
    attestedAt: time.meta({
      description:
        'At most 48 hours ahead of the clock. The latest attestation of a requirement counts, from this time on.',
    }),
    validUntil: time
      .nullish()
      .meta({ description: 'Has no effect after the validity of the requirement, counted from attestedAt.' }),
    evidenceRefs,
    ...withdrawal,
  }),
  exception: statefulPayload.extend({
    requirementKey: requirementKey.meta({ description: 'Key of a measured requirement, such as iam.mfa.members.' }),
    subjectIds: subjectIds.nullish(),
    query: subjectQuery.nullish(),
    reason: statedReason.meta({ description: 'Why these subjects are excepted.' }),
    approvedBy: statedReason.meta({ description: 'Who approved it.' }),
    validFrom: time.meta({ description: 'From this time on it counts, and not before it is recorded.' }),
    validUntil: time.meta({ description: 'From this time on it counts no more; at most a year after validFrom.' }),
    evidenceRefs,
    ...withdrawal,
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
  awareness: statefulPayload.extend({
    subject: subject.meta({ description: 'The incident: { type: incident, id } with the id of a detection or alert.' }),
    awareAt: time.meta({
      description:
        'Since when the organization was aware of the incident. Counts where it is earlier than what records show.',
    }),
    statedBy: text.min(1).meta({ description: 'Who states it.' }),
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
  /** Graph's secureScore, together with its control profiles. */
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
  toRow: (tenantId, id) => ({ table: 'compliance_record', tenantId, id: toRowId(kind, id) }),
  read: (record) => read(kind, record),
}));

function read(kind: ComplianceKind, record: ValidatedRecord): DomainOutcome | Rejection {
  const state = parsePayload<z.ZodType<RuleMembers>>(compliancePayloads[kind], record.plain);
  if (isRejection(state)) return state;
  const fault = checkRules(state, record.nowMs);
  if (fault !== null) return fault;
  const { id: recordId, payload } = record;
  return toStateOutcome(
    'compliance_record',
    { ...record, id: toRowId(kind, recordId) },
    {
      columns: {
        kind,
        record_id: recordId,
        subject_type: state.subject?.type ?? null,
        subject_id: state.subject?.id ?? null,
        requirement_key: state.requirementKey ?? null,
      },
      times: { changed_at: parseInstant(state.changedAt) },
      members: { kind, recordId, payload },
      detail: null,
    },
  );
}

/** Hours that an attestation or statement may be dated ahead of the clock: people write dates, and time zones differ by up to 26 hours. */
const maxHoursAhead = 48;

/** Rules between members, and of members with the clock. */
function checkRules(state: RuleMembers, nowMs: number): Rejection | null {
  if (state.verdict === 'not_applicable' && !state.justification?.trim())
    return rejectMember('justification', 'expected a text where the verdict is not_applicable');
  for (const name of ['attestedAt', 'awareAt', 'withdrawnAt'] as const) {
    const time = state[name];
    if (time != null && parseInstant(time) > nowMs + maxHoursAhead * 3_600_000)
      return rejectMember(name, `expected a time at most ${maxHoursAhead} hours ahead of the clock`);
  }
  if (
    state.attestedAt != null &&
    state.validUntil != null &&
    parseInstant(state.validUntil) < parseInstant(state.attestedAt)
  )
    return rejectMember('validUntil', 'expected a time not before attestedAt');
  const exceptionFault = checkException(state);
  if (exceptionFault !== null) return exceptionFault;
  if (state.withdrawnAt != null && !state.withdrawnBy?.trim())
    return rejectMember('withdrawnBy', 'expected a text together with withdrawnAt');
  const invertedGap = state.gaps?.findIndex(({ from, to }) => parseInstant(to) < parseInstant(from)) ?? -1;
  return invertedGap === -1 ? null : rejectMember(`gaps.${invertedGap}.to`, 'expected a time not before from');
}

/** Ids are unique within a kind only, and contain no slash. */
function toRowId(kind: ComplianceKind, id: string): string {
  return `${kind}/${id}`;
}

/** Members that are indexed or checked by rules, where a kind has them. */
interface RuleMembers {
  readonly changedAt: string;
  readonly subject?: { readonly type: string; readonly id: string } | null | undefined;
  readonly requirementKey?: string | undefined;
  readonly verdict?: string | undefined;
  readonly justification?: string | null | undefined;
  readonly attestedAt?: string | undefined;
  readonly awareAt?: string | undefined;
  readonly withdrawnAt?: string | null | undefined;
  readonly withdrawnBy?: string | null | undefined;
  readonly validFrom?: string | undefined;
  readonly validUntil?: string | null | undefined;
  readonly subjectIds?: readonly string[] | null | undefined;
  readonly query?: object | null | undefined;
  readonly gaps?: readonly { readonly from: string; readonly to: string }[] | null | undefined;
}
