import { showTime } from '@tenantscope/contract';
import { z } from 'zod';
import { isRejection, type Rejection } from '../rejection.ts';
import type { Arrival, Deletion, DomainKind, Said } from './domain-record.ts';
import { conform, immutablePayload, instantOf, statefulPayload, text, time } from './payload.ts';
import { projected } from './projection.ts';

const lifecycleEvents = [
  'create',
  'update',
  'publish',
  'deploy',
  'undeploy',
  'block',
  'unblock',
  'share',
  'delete',
] as const;
const threatFlags = ['jailbreak', 'xpia', 'policyBlock', 'riskyAgent', 'alert'] as const;
const threatOutcomes = ['detected', 'blocked', 'unknown'] as const;
const permissionKinds = ['delegated', 'application', 'resourceSpecific', 'connector'] as const;
const consentTypes = ['allPrincipals', 'principal'] as const;
const permissionSources = ['direct', 'inherited', 'declared'] as const;
const restrictionLevels = ['monitored', 'noAiAccess', 'noAccess'] as const;
const restrictionEvents = ['declare', 'modify', 'lift'] as const;

/** What the evidence pack needs and no feed carries. Members beyond these are kept as they came. */
export const agentEvidencePayloads = {
  agentLifecycle: immutablePayload.extend({
    agentId: text,
    occurredAt: time,
    event: z.enum(lifecycleEvents),
    actorId: text.nullish(),
    actorName: text.nullish(),
  }),
  threatEvent: immutablePayload.extend({
    agentId: text,
    occurredAt: time,
    flag: z.enum(threatFlags),
    outcome: z.enum(threatOutcomes).nullish(),
    interactionId: text.nullish(),
  }),
  instructionChange: immutablePayload.extend({
    agentId: text,
    occurredAt: time,
    previousHash: text.nullish(),
    currentHash: text.nullish(),
  }),
  permissionGrant: statefulPayload.extend({
    agentId: text,
    value: text,
    agentName: text.nullish(),
    permissionKind: z.enum(permissionKinds).nullish(),
    source: z.enum(permissionSources).nullish(),
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
  }),
  restrictionEvent: statefulPayload.extend({
    restrictionId: text,
    event: z.enum(restrictionEvents),
    occurredAt: time,
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
      members: { kind, recordId, payload },
      detail: null,
    },
  );
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
