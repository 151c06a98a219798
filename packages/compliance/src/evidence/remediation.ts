import { actorKinds, revertBuckets, rungs } from '@tenantscope/contract';
import type { Json, JsonObject } from '@tenantscope/proof';
import { type Remediation, readRemediation } from '@tenantscope/store';
import { hoursBetween } from './duration.ts';
import type { SectionReader } from './section.ts';
import { toldCount, toldFlag, toldText, toldTime, toldWord } from './told-value.ts';

type Members = Readonly<Record<string, unknown>>;

export const remediation: SectionReader = {
  key: 'remediation',
  async read(reading, page) {
    const { rows, totalRowCount } = await readRemediation(reading, page);
    return {
      rows: rows.map((row) =>
        row.listed === null ? executionOf(row, row.execution ?? {}) : actionOf(row, row.listed, reading.toMs),
      ),
      totalRowCount,
      asOfMs: null,
    };
  },
};

function actionOf(row: Remediation, listed: Members, toMs: number): JsonObject {
  const steps = row.steps ?? [];
  const confirmedAt = steps.find(({ rung }) => rung === 'confirmed')?.at;
  const [settledAt, dueAt] = [toldTime(row.settledAt), toldTime(listed.dueAt)];
  return {
    actionId: row.actionId,
    ledger: row.ledger,
    actionName: toldText(listed.actionName),
    actionType: toldText(listed.actionType),
    trigger: toldWord(listed.actorKind, actorKinds, null),
    policyId: toldText(listed.policyId),
    actor: {
      id: toldText(listed.actorId),
      name: toldText(listed.actorName),
      kind: toldWord(listed.actorKind, actorKinds, null),
    },
    rungs: steps.map(({ rung, at, by }) => ({ rung: toldWord(rung, rungs, null), at: toldTime(at), by: toldText(by) })),
    createdAt: toldTime(row.createdMs),
    settledAt,
    timeToRemediateHours: hoursBetween(row.createdMs, confirmedAt),
    dueAt,
    onTime: onTime(settledAt, dueAt, toMs),
    items: {
      total: toldCount(listed.itemsTotal),
      settled: toldCount(listed.itemsSettled),
      failed: toldCount(listed.failedCount),
    },
    resource: {
      type: toldText(listed.resourceType),
      id: toldText(listed.resourceId),
      name: toldText(listed.resourceName),
    },
    isSimulated: toldFlag(listed.isSimulated),
    isIrreversible: toldFlag(listed.isIrreversible),
    revertBucket: toldWord(listed.revertBucket, revertBuckets, null),
    result:
      row.ledger === 'legacyAutomation' ? legacyResult(listed.rollupRung) : toldWord(listed.rollupRung, rungs, null),
  };
}

/** What an automation of a policy did before there was a ledger: it ran, and that is nearly all that was kept. */
function executionOf(row: Remediation, told: Members): JsonObject {
  const resource = (told.resource ?? {}) as Members;
  const by = (told.actor ?? {}) as Members;
  const result = legacyResult(told.result ?? told.status);
  const executedAt = toldTime(row.createdMs);
  return {
    actionId: row.actionId,
    ledger: 'legacyAutomation',
    actionName: toldText(told.actionName) ?? toldText(told.name) ?? row.policyName,
    actionType: toldText(told.actionType) ?? toldText(told.stage),
    trigger: 'policy',
    policyId: row.policyId,
    actor: { id: toldText(by.id), name: toldText(by.name), kind: toldWord(by.kind, actorKinds, 'policy') },
    rungs: result === null ? [] : [{ rung: result, at: executedAt, by: toldText(by.id) }],
    createdAt: executedAt,
    settledAt: result === null ? null : executedAt,
    timeToRemediateHours: null,
    dueAt: null,
    onTime: null,
    items: {
      total: toldCount(told.itemsTotal),
      settled: toldCount(told.itemsSettled),
      failed: toldCount(told.failedCount),
    },
    resource: {
      type: toldText(resource.type) ?? toldText(row.scanResourceType),
      id: toldText(resource.id),
      name: toldText(resource.name),
    },
    isSimulated: toldFlag(told.isSimulated),
    isIrreversible: toldFlag(told.isIrreversible),
    revertBucket: toldWord(told.revertBucket, revertBuckets, null),
    result,
  };
}

/** Nobody confirmed what the old automations did. */
function legacyResult(told: unknown): Json {
  if (told === 'failed' || told === 'failure' || told === 'error') return 'failed';
  return ['applied', 'confirmed', 'success', 'succeeded', 'executed'].includes(String(told)) ? 'applied' : null;
}

/** Whether it was settled by its deadline; of what is not settled, known only once the window ends behind it. */
function onTime(settledAt: string | null, dueAt: string | null, toMs: number): boolean | null {
  if (dueAt === null) return null;
  if (settledAt !== null) return settledAt <= dueAt;
  return Date.parse(dueAt) < toMs ? false : null;
}
