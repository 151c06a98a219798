import { actorKinds, revertBuckets, rungs } from '@tenantscope/contract';
import type { Json, JsonObject } from '@tenantscope/proof';
import { type Remediation, readRemediation } from '@tenantscope/store/compliance';
import type { SectionReader } from '../section-reader.ts';
import { countHours } from '../values/duration.ts';
import { toCount, toEnumValue, toFlag, toIsoTime, toText } from '../values/reported-value.ts';

type Members = Readonly<Record<string, unknown>>;

export const remediation: SectionReader = {
  key: 'remediation',
  async read(reading, page) {
    const { rows, totalRowCount } = await readRemediation(reading, page);
    return {
      rows: rows.map((row) =>
        row.listed === null ? toExecutionRow(row, row.execution ?? {}) : toActionRow(row, row.listed, reading.toMs),
      ),
      totalRowCount,
      asOfMs: null,
    };
  },
};

function toActionRow(row: Remediation, listed: Members, toMs: number): JsonObject {
  const steps = row.steps ?? [];
  const confirmedAt = steps.find(({ rung }) => rung === 'confirmed')?.at;
  const [settledAt, dueAt] = [toIsoTime(row.settledAt), toIsoTime(listed.dueAt)];
  return {
    actionId: row.actionId,
    ledger: row.ledger,
    actionName: toText(listed.actionName),
    actionType: toText(listed.actionType),
    trigger: toEnumValue(listed.actorKind, actorKinds, null),
    policyId: toText(listed.policyId),
    actor: {
      id: toText(listed.actorId),
      name: toText(listed.actorName),
      kind: toEnumValue(listed.actorKind, actorKinds, null),
    },
    rungs: steps.map(({ rung, at, by }) => ({
      rung: toEnumValue(rung, rungs, null),
      at: toIsoTime(at),
      by: toText(by),
    })),
    createdAt: toIsoTime(row.createdMs),
    settledAt,
    timeToRemediateHours: countHours(row.createdMs, confirmedAt),
    dueAt,
    onTime: isOnTime(settledAt, dueAt, toMs),
    items: {
      total: toCount(listed.itemsTotal),
      settled: toCount(listed.itemsSettled),
      failed: toCount(listed.failedCount),
    },
    resource: {
      type: toText(listed.resourceType),
      id: toText(listed.resourceId),
      name: toText(listed.resourceName),
    },
    isSimulated: toFlag(listed.isSimulated),
    isIrreversible: toFlag(listed.isIrreversible),
    revertBucket: toEnumValue(listed.revertBucket, revertBuckets, null),
    result:
      row.ledger === 'legacyAutomation'
        ? toLegacyResult(listed.rollupRung)
        : toEnumValue(listed.rollupRung, rungs, null),
  };
}

/**
 * An execution of a policy automation from before there was a ledger: little more than the fact of the execution is stored.
 */
function toExecutionRow(row: Remediation, reported: Members): JsonObject {
  const resource = (reported.resource ?? {}) as Members;
  const by = (reported.actor ?? {}) as Members;
  const result = toLegacyResult(reported.result ?? reported.status);
  const executedAt = toIsoTime(row.createdMs);
  return {
    actionId: row.actionId,
    ledger: 'legacyAutomation',
    actionName: toText(reported.actionName) ?? toText(reported.name) ?? row.policyName,
    actionType: toText(reported.actionType) ?? toText(reported.stage),
    trigger: 'policy',
    policyId: row.policyId,
    actor: { id: toText(by.id), name: toText(by.name), kind: toEnumValue(by.kind, actorKinds, 'policy') },
    rungs: result === null ? [] : [{ rung: result, at: executedAt, by: toText(by.id) }],
    createdAt: executedAt,
    settledAt: result === null ? null : executedAt,
    timeToRemediateHours: null,
    dueAt: null,
    onTime: null,
    items: {
      total: toCount(reported.itemsTotal),
      settled: toCount(reported.itemsSettled),
      failed: toCount(reported.failedCount),
    },
    resource: {
      type: toText(resource.type) ?? toText(row.scanResourceType),
      id: toText(resource.id),
      name: toText(resource.name),
    },
    isSimulated: toFlag(reported.isSimulated),
    isIrreversible: toFlag(reported.isIrreversible),
    revertBucket: toEnumValue(reported.revertBucket, revertBuckets, null),
    result,
  };
}

/** The results of the old automations were never confirmed. */
function toLegacyResult(reported: unknown): Json {
  if (reported === 'failed' || reported === 'failure' || reported === 'error') return 'failed';
  return ['applied', 'confirmed', 'success', 'succeeded', 'executed'].includes(String(reported)) ? 'applied' : null;
}

/**
 * Whether it was settled by its deadline; for an unsettled action known only where the deadline is before the end of the
 * window.
 */
function isOnTime(settledAt: string | null, dueAt: string | null, toMs: number): boolean | null {
  if (dueAt === null) return null;
  if (settledAt !== null) return settledAt <= dueAt;
  return Date.parse(dueAt) < toMs ? false : null;
}
