import { hash } from 'node:crypto';
import { agentLifecycleEvents, agentPermissionKinds, agentPermissionSources, formatTime } from '@tenantscope/contract';
import { z } from 'zod';
import { maskSecretText } from '../field/mask-secret-text.ts';
import { type JsonObject, toText } from '../json/value.ts';
import { isRejection, type Rejection } from '../message/rejection.ts';
import type { Deletion, DomainKind, DomainOutcome, ValidatedRecord } from './domain-record.ts';
import { count, immutablePayload, parseInstant, parsePayload, statefulPayload, text, time } from './payload.ts';
import { toStateOutcome } from './projection.ts';

const threatFlags = ['jailbreak', 'xpia', 'policyBlock', 'riskyAgent', 'alert'] as const;
const threatOutcomes = ['detected', 'blocked', 'unknown'] as const;
const consentTypes = ['allPrincipals', 'principal'] as const;
const restrictionLevels = ['monitored', 'noAiAccess', 'noAccess'] as const;
const restrictionEvents = ['declare', 'modify', 'lift'] as const;

const person = z.object({ id: text.nullish(), name: text.nullish() });
/** For an agent's instructions; all other texts are far shorter. */
const longText = z.string().max(262_144);
const exposure = {
  files: count.nullish(),
  users: count.nullish(),
  externalUsers: count.nullish(),
  apps: count.nullish(),
  agents: count.nullish(),
};
/** References to the log row of the same event: the pack shows the event once. */
const logReference = {
  externalEventId: text.nullish().meta({ description: "The provider's id of the event." }),
  logId: text.nullish().meta({ description: 'Id of the row of the log.' }),
};

/** Records that the evidence pack needs and no feed carries. Other members are stored unchanged. */
export const agentEvidencePayloads = {
  agentLifecycle: immutablePayload.extend({
    agentId: text,
    occurredAt: time,
    event: z.enum(agentLifecycleEvents),
    agentName: text.nullish(),
    actorId: text.nullish(),
    actorName: text.nullish(),
    actorType: text.nullish(),
    operation: text.nullish(),
    source: text.nullish().meta({ description: 'powerPlatform, microsoft365AdminCenter, entra or other.' }),
    details: z.object({}).nullish().meta({ description: 'What changed, as recorded.' }),
    result: text.nullish().meta({ description: 'success, failure or unknown.' }),
    ...logReference,
  }),
  threatEvent: immutablePayload.extend({
    agentId: text,
    occurredAt: time,
    flag: z.enum(threatFlags),
    outcome: z.enum(threatOutcomes).nullish(),
    agentName: text.nullish(),
    interactionId: text.nullish(),
    severity: text.nullish(),
    resourceId: text.nullish().meta({ description: 'The resource that carried it.' }),
    resourceName: text.nullish(),
    relatedAlertIds: z.array(text).nullish(),
    ...logReference,
  }),
  instructionChange: immutablePayload.extend({
    agentId: text,
    occurredAt: time,
    agentName: text.nullish(),
    previousObservedAt: time.nullish().meta({ description: 'The last import that found the old text.' }),
    previousHash: text.nullish().meta({ description: 'SHA-256 of the old text; computed from the text where absent.' }),
    currentHash: text.nullish(),
    previousText: longText.nullish().meta({ description: 'Stored with its secrets masked.' }),
    currentText: longText.nullish(),
    publishedBy: person.nullish(),
    review: z.object({ reviewedBy: text.nullish(), reviewedAt: time.nullish(), outcome: text.nullish() }).nullish(),
  }),
  permissionGrant: statefulPayload.extend({
    agentId: text,
    value: text,
    agentName: text.nullish(),
    permissionKind: z.enum(agentPermissionKinds).nullish(),
    source: z.enum(agentPermissionSources).nullish(),
    resourceId: text.nullish(),
    resourceName: text.nullish(),
    consentType: z.enum(consentTypes).nullish(),
    adminConsented: z.boolean().nullish(),
    consentedBy: z.object({ userId: text.nullish(), id: text.nullish(), name: text.nullish() }).nullish(),
    consentedAt: time.nullish(),
    tenantWide: z.boolean().nullish(),
    writeAccess: z.boolean().nullish(),
    sensitivity: z.enum(['low', 'medium', 'high']).nullish(),
    lastUsedAt: time.nullish(),
  }),
  restriction: statefulPayload.extend({
    dataType: z.object({ id: text, name: text.nullish() }),
    level: z.enum(restrictionLevels),
    declaredAt: time,
    declaredBy: person.nullish(),
    reason: text.nullish(),
    exemptIds: z.array(text).nullish().meta({
      description:
        'Ids or names of accounts that may still read the data: their reads do not count against noAccess. Compared without case.',
    }),
    exposure: z.object({ ...exposure, sites: count.nullish(), computedAt: time.nullish() }).nullish(),
  }),
  restrictionEvent: statefulPayload.extend({
    restrictionId: text,
    event: z.enum(restrictionEvents),
    occurredAt: time,
    dataType: z.object({ id: text, name: text.nullish() }).nullish(),
    actor: person.nullish(),
    reason: text.nullish(),
    exposureAtEvent: z
      .object({ ...exposure, labelCoveredPct: z.number().min(0).max(100).nullish() })
      .nullish()
      .meta({ description: 'The exposure at the time of the event. Never recounted.' }),
    fromLevel: z.enum(restrictionLevels).nullish(),
    toLevel: z.enum(restrictionLevels).nullish(),
  }),
} as const;

type EvidenceKind = keyof typeof agentEvidencePayloads;

const immutableKinds: readonly EvidenceKind[] = ['agentLifecycle', 'threatEvent', 'instructionChange'];

export const agentEvidence: readonly DomainKind[] = (Object.keys(agentEvidencePayloads) as EvidenceKind[]).map(
  (kind) => ({
    name: kind,
    isDeletable: true,
    isImmutable: immutableKinds.includes(kind),
    toRow: (tenantId, id) => ({ table: 'agent_evidence', tenantId, id: toRowId(kind, id) }),
    read: (record) => read(kind, record),
    readDeletion: (deletion) => readDeletion(kind, deletion),
  }),
);

function read(kind: EvidenceKind, record: ValidatedRecord): DomainOutcome | Rejection {
  const state = parsePayload<z.ZodType<IndexedMembers>>(agentEvidencePayloads[kind], record.plain);
  if (isRejection(state)) return state;
  const { id: recordId, payload } = record;
  const occurredAt = (state.occurredAt ?? state.declaredAt ?? state.changedAt) as string;
  return toStateOutcome(
    'agent_evidence',
    { ...record, id: toRowId(kind, recordId) },
    {
      columns: {
        kind,
        record_id: recordId,
        agent_id: state.agentId ?? null,
        restriction_id: state.restrictionId ?? null,
        is_deletion: false,
      },
      times: { happened_at: parseInstant(occurredAt) },
      members: { kind, recordId, payload: kind === 'instructionChange' ? maskInstructions(payload) : payload },
      detail: null,
    },
  );
}

/** Instructions may contain secrets. The stored text is masked; its hash still shows that the text changed. */
function maskInstructions(change: JsonObject): JsonObject {
  const maskedMembers = (['previous', 'current'] as const).flatMap((when): [string, string][] => {
    const [instructions, sentHash] = [change[`${when}Text`], toText(change[`${when}Hash`])];
    if (typeof instructions !== 'string') return [];
    return [
      [`${when}Text`, maskSecretText(instructions)],
      [`${when}Hash`, sentHash ?? hash('sha256', instructions)],
    ];
  });
  return { ...change, ...Object.fromEntries(maskedMembers) };
}

/**
 * A deletion is a row of its own next to the record's row: the record stays readable for times before its deletion, and both
 * orders of arrival give the same two rows. The record counts as deleted while its deletion is above it by (version,
 * digest).
 */
function readDeletion(kind: EvidenceKind, deletion: Deletion): DomainOutcome {
  const { id: recordId, deletedAtMs, reason } = deletion;
  return toStateOutcome(
    'agent_evidence',
    { ...deletion, id: `${toRowId(kind, recordId)}/deleted` },
    {
      columns: { kind, record_id: recordId, agent_id: null, restriction_id: null, is_deletion: true },
      times: { happened_at: deletedAtMs },
      members: { kind, recordId, deletedAt: formatTime(deletedAtMs), reason },
      detail: null,
    },
  );
}

/** Ids are unique within a kind only, and contain no slash. */
function toRowId(kind: EvidenceKind, id: string): string {
  return `${kind}/${id}`;
}

/** Members that are indexed, where a kind has them. */
type IndexedMembers = {
  readonly [Name in 'agentId' | 'restrictionId' | 'occurredAt' | 'declaredAt' | 'changedAt']?: string | undefined;
};
