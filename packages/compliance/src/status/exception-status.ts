import { formatTime, type RequirementExceptions, type RequirementStatus } from '@tenantscope/contract';
import type { ExceptionEffect } from '../evaluation/excepted.ts';
import { listInForce } from '../evaluation/exception.ts';
import type { Exception, Facts } from '../evaluation/facts.ts';

/** Exceptions that the status shows of each requirement. */
const shownMax = 50;

/** The exceptions in force, and what they change; null where none is, or nothing was measured. */
export function buildExceptions(
  key: string,
  effect: ExceptionEffect | null,
  facts: Facts,
): RequirementStatus['exceptions'] {
  const inForce = listInForce(key, facts);
  if (effect === null || inForce.length === 0) return null;
  const counts = facts.excepted?.[key]?.byException ?? {};
  return {
    count: effect.count,
    value: effect.value,
    statusWithout: effect.statusWithout,
    inForce: inForce.slice(0, shownMax).map((one) => buildException(one, counts[one.id] ?? 0)),
    inForceCount: inForce.length,
  };
}

const buildException = (one: Exception, count: number): RequirementExceptions['inForce'][number] => ({
  id: one.id,
  reason: one.reason,
  approvedBy: one.approvedBy,
  validFrom: formatTime(one.validFromMs),
  validUntil: formatTime(one.validUntilMs),
  selection: one.subjectIds === null ? 'query' : 'ids',
  evidenceRefs: [...one.evidenceRefs],
  recordedBy: one.recorded.by,
  recordedAt: formatTime(one.recorded.atMs),
  count,
});
