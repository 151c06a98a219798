import { actorKinds, revertBuckets, rungs } from '@tenantscope/contract';
import { z } from 'zod';
import { maskSecrets } from '../field/mask-secrets.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { writeVisible } from '../json/write-json.ts';
import { isRejection, type Rejection } from '../message/rejection.ts';
import type { DomainKind, DomainOutcome, ValidatedRecord } from './domain-record.ts';
import {
  count,
  formatInstant,
  parseInstant,
  parsePayload,
  rejectMember,
  statefulPayload,
  text,
  time,
} from './payload.ts';
import { toStateOutcome } from './projection.ts';

export const actionPayload = statefulPayload.extend({
  actionName: text,
  actionType: text,
  actorKind: z.enum(actorKinds).meta({ description: 'Who triggered it.' }),
  rollupRung: z.enum(rungs),
  itemsTotal: count,
  itemsSettled: count,
  failedCount: count,
  isSimulated: z.boolean(),
  isIrreversible: z.boolean(),
  createdAt: time,
  updatedAt: time,
  policyId: text.nullish(),
  policyName: text.nullish(),
  actorId: text.nullish(),
  actorName: text.nullish(),
  revertBucket: z.enum(revertBuckets).nullish(),
  resourceType: text.nullish(),
  resourceId: text.nullish(),
  resourceName: text.nullish(),
  askerCount: count.nullish(),
  askerNames: z.array(text).nullish(),
  actionArguments: z.object({}).nullish(),
  dueAt: time.nullish(),
  acknowledgedAt: time.nullish(),
  rungs: z
    .array(z.object({ rung: z.enum(rungs), at: time, by: text.nullish(), byKind: z.enum(actorKinds).nullish() }))
    .nullish()
    .meta({ description: 'The steps completed so far.' }),
  settledAt: time.nullish(),
  ledger: text.nullish(),
});

export const action: DomainKind = {
  name: 'action',
  isDeletable: false,
  isImmutable: false,
  toRow: (tenantId, id) => ({ table: 'action', tenantId, id }),
  read,
};

function read(record: ValidatedRecord): DomainOutcome | Rejection {
  const state = parsePayload(actionPayload, record.plain);
  if (isRejection(state)) return state;
  const fault = checkCounts(state);
  if (fault !== null) return fault;
  const { actionName, actionType, actorKind, rollupRung, itemsTotal, itemsSettled, failedCount } = state;
  const { isSimulated, isIrreversible, createdAt } = state;
  const hasFailures = failedCount > 0;
  const revertBucket = state.revertBucket ?? (isIrreversible ? 'notApplicable' : null);
  return toStateOutcome('action', record, {
    columns: {
      rung: rollupRung,
      action_type: actionType,
      policy_id: state.policyId ?? null,
      actor_kind: actorKind,
      resource_type: state.resourceType ?? null,
      resource_id: state.resourceId ?? null,
      is_simulated: isSimulated,
      is_irreversible: isIrreversible,
      has_failures: hasFailures,
      revert_bucket: revertBucket,
      ledger: state.ledger ?? null,
      steps: state.rungs ? writeVisible(record.payload.rungs ?? null) : null,
      settled_at: formatInstant(state.settledAt),
    },
    times: { created_at: parseInstant(createdAt) },
    members: {
      actionName,
      actionType,
      policyId: state.policyId ?? null,
      policyName: state.policyName ?? null,
      actorId: state.actorId ?? null,
      actorName: state.actorName ?? null,
      actorKind,
      rollupRung,
      itemsTotal,
      itemsSettled,
      failedCount,
      hasFailures,
      isSimulated,
      isIrreversible,
      revertBucket,
      resourceType: state.resourceType ?? null,
      resourceId: state.resourceId ?? null,
      resourceName: state.resourceName ?? null,
      askerCount: state.askerCount ?? null,
      askerNames: state.askerNames ?? null,
      actionArguments: readArguments(record.payload),
      createdAt: formatInstant(createdAt),
      dueAt: formatInstant(state.dueAt),
      acknowledgedAt: formatInstant(state.acknowledgedAt),
    },
    detail: null,
  });
}

function checkCounts(state: z.infer<typeof actionPayload>): Rejection | null {
  const { itemsTotal, itemsSettled, failedCount, isIrreversible, revertBucket } = state;
  if (itemsSettled > itemsTotal) return rejectMember('itemsSettled', 'expected at most itemsTotal');
  if (failedCount > itemsSettled) return rejectMember('failedCount', 'expected at most itemsSettled');
  if (!isIrreversible || revertBucket == null || revertBucket === 'notApplicable') return null;
  return rejectMember('revertBucket', 'expected notApplicable where the action is irreversible');
}

/** As received, digits unchanged, except for secrets that a producer forgot to remove. */
function readArguments({ actionArguments }: JsonObject): JsonObject | null {
  return isObject(actionArguments) ? maskSecrets(actionArguments) : null;
}
