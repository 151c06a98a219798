import { findingsPath } from '@tenantscope/contract';
import type { JsonObject } from '@tenantscope/proof';
import { readStatementStates, type StatementState } from '@tenantscope/store/compliance';
import { findExceptionState } from '../../evaluation/exception.ts';
import { findRequirement } from '../../findings/read-findings.ts';
import type { SectionReader } from '../section-reader.ts';
import { toIsoTime, toJsonValue, toText } from '../values/reported-value.ts';
import { describeStatement, toEpochMs, toStatedText } from '../values/statement.ts';

export const exceptions: SectionReader = {
  key: 'exceptions',
  async read(reading, page) {
    const { rows, totalRowCount } = await readStatementStates(reading, 'exception', page);
    const asOfMs = rows.length === 0 ? null : Math.max(...rows.map(({ recordedMs }) => recordedMs));
    return { rows: rows.map((row) => toRow(row, reading.toMs)), totalRowCount, asOfMs };
  },
};

function toRow(state: StatementState, toMs: number): JsonObject {
  const { recordId, requirementKey, facts } = state;
  const isCatalogued = requirementKey !== null && findRequirement(requirementKey) !== null;
  return {
    exceptionId: recordId.toWellFormed(),
    requirementKey,
    state: findState(state, toMs),
    subjectIds: facts.subjectIds == null ? null : toJsonValue(facts.subjectIds),
    query: facts.query == null ? null : toJsonValue(facts.query),
    reason: toStatedText(facts.reason),
    approvedBy: toText(facts.approvedBy),
    validFrom: toIsoTime(facts.validFrom),
    validUntil: toIsoTime(facts.validUntil),
    findingsUrl: isCatalogued ? findingsPath(requirementKey, 'excepted') : null,
    ...describeStatement(state),
  };
}

/** At the end of the window. */
function findState({ facts, recordedMs, isReplaced }: StatementState, toMs: number): string {
  if (isReplaced) return 'replaced';
  const withdrawnMs = toEpochMs(facts.withdrawnAt);
  const times = {
    validFromMs: toEpochMs(facts.validFrom) ?? 0,
    validUntilMs: toEpochMs(facts.validUntil) ?? 0,
    withdrawal: withdrawnMs === null ? null : { atMs: withdrawnMs },
    recorded: { atMs: recordedMs },
  };
  return findExceptionState(times, toMs);
}
