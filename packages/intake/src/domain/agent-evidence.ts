import { hash } from 'node:crypto';
import { agentLifecycleEvents, agentPermissionKinds, agentPermissionSources, showTime } from '@tenantscope/contract';
import { z } from 'zod';
import { maskSecretText } from '../field/secret-text.ts';
import { type JsonObject, textOf } from '../json/value.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import type { Arrival, Deletion, DomainKind, Said } from './domain-record.ts';
import { conform, count, immutablePayload, instantOf, statefulPayload, text, time } from './payload.ts';
import { projected } from './projection.ts';

const threatFlags = ['jailbreak', 'xpia', 'policyBlock', 'riskyAgent', 'alert'] as const;
const threatOutcomes = ['detected', 'blocked', 'unknown'] as const;
const consentTypes = ['allPrincipals', 'principal'] as const;
const restrictionLevels = ['monitored', 'noAiAccess', 'noAccess'] as const;
const restrictionEvents = ['declare', 'modify', 'lift'] as const;

const person = z.object({ id: text.nullish(), name: text.nullish() });
/** Instructions of an agent; anything else is far shorter. */
const longText = z.string().max(262_144);
const exposure = {
  files: count.nullish(),
  users: count.nullish(),
  externalUsers: count.nullish(),
  apps: count.nullish(),
  agents: count.nullish(),
};
/** What leads to the row of the log that tells the same: the pack shows it once. */
const alsoInTheLog = {
  externalEventId: text.nullish().meta({ description: "The provider's id of the event." }),
  logId: text.nullish().meta({ description: 'Id of the row of the log.' }),
};

/** What the evidence pack needs and no feed carries. Members beyond these are kept as they came. */
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
    ...alsoInTheLog,
  }),
  threatEvent: immutablePayload.extend({
    agentId: text,
    occurredAt: time,
    flag: z.enum(threatFlags),
    outcome: z.enum(threatOutcomes).nullish(),
    agentName: text.nullish(),
    interactionId: text.nullish(),
    severity: text.nullish(),
    resourceId: text.nullish().meta({ description: 'What carried it.' }),
    resourceName: text.nullish(),
    relatedAlertIds: z.array(text).nullish(),
    ...alsoInTheLog,
  }),
  instructionChange: immutablePayload.extend({
    agentId: text,
    occurredAt: time,
    agentName: text.nullish(),
    previousObservedAt: time.nullish().meta({ description: 'The import that saw the old text last.' }),
    previousHash: text
      .nullish()
      .meta({ description: 'SHA-256 of the old text; made of the text where it is left out.' }),
    currentHash: text.nullish(),
    previousText: longText.nullish().meta({ description: 'Kept with its secrets masked.' }),
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
      .meta({ description: 'What was exposed when it happened. Never counted anew.' }),
    fromLevel: z.enum(restrictionLevels).nullish(),
    toLevel: z.enum(restrictionLevels).nullish(),
  }),
} as const;

type EvidenceKind = keyof typeof agentEvidencePayloads;

const saidOnce: readonly EvidenceKind[] = ['agentLifecycle', 'threatEvent', 'instructionChange'];

export const agentEvidence: readonly DomainKind[] = (Object.keys(agentEvidencePayloads) as EvidenceKind[]).map(
  (kind) => ({
    name: kind,
    isDeletable: true,
    isImmutable: saidOnce.includes(kind),
    rowOf: (tenantId, id) => ({ table: 'agent_evidence', tenantId, id: rowId(kind, id) }),
    read: (arrival) => read(kind, arrival),
    readDeletion: (deletion) => readDeletion(kind, deletion),
  }),
);

function read(kind: EvidenceKind, arrival: Arrival): Said | Rejection {
  const state = conform<z.ZodType<Shared>>(agentEvidencePayloads[kind], arrival.plain);
  if (isRejection(state)) return state;
  const { id: recordId, payload } = arrival;
  const happenedAt = (state.occurredAt ?? state.declaredAt ?? state.changedAt) as string;
  return projected(
    'agent_evidence',
    { ...arrival, id: rowId(kind, recordId) },
    {
      columns: {
        kind,
        record_id: recordId,
        agent_id: state.agentId ?? null,
        restriction_id: state.restrictionId ?? null,
        is_deletion: false,
      },
      times: { happened_at: instantOf(happenedAt) },
      members: { kind, recordId, payload: kind === 'instructionChange' ? withoutSecrets(payload) : payload },
      detail: null,
    },
  );
}

/** People write secrets into instructions. What is kept is masked; that the text was another one its hash still tells. */
function withoutSecrets(change: JsonObject): JsonObject {
  const kept = (['previous', 'current'] as const).flatMap((when): [string, string][] => {
    const [told, toldHash] = [change[`${when}Text`], textOf(change[`${when}Hash`])];
    if (typeof told !== 'string') return [];
    return [
      [`${when}Text`, maskSecretText(told)],
      [`${when}Hash`, toldHash ?? hash('sha256', told)],
    ];
  });
  return { ...change, ...Object.fromEntries(kept) };
}

/**
 * A row of its own beside that of the record: what it was stays readable for a time before its deletion, and in whatever
 * order the two arrive they end as the same two rows. The record is gone while its deletion is above it by (version, digest).
 */
function readDeletion(kind: EvidenceKind, deletion: Deletion): Said {
  const { id: recordId, deletedAtMs, reason } = deletion;
  return projected(
    'agent_evidence',
    { ...deletion, id: `${rowId(kind, recordId)}/deleted` },
    {
      columns: { kind, record_id: recordId, agent_id: null, restriction_id: null, is_deletion: true },
      times: { happened_at: deletedAtMs },
      members: { kind, recordId, deletedAt: showTime(deletedAtMs), reason },
      detail: null,
    },
  );
}

/** Ids are unique within a kind only, and hold no slash. */
function rowId(kind: EvidenceKind, id: string): string {
  return `${kind}/${id}`;
}

/** What rows are found by, as far as a kind has it. */
type Shared = {
  readonly [Name in 'agentId' | 'restrictionId' | 'occurredAt' | 'declaredAt' | 'changedAt']?: string | undefined;
};
