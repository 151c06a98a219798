import { dayMs } from '@tenantscope/contract';
import type { JsonObject } from '@tenantscope/proof';
import { readStatementStates, type StatementState } from '@tenantscope/store/compliance';
import { requirementCatalogue } from '../../catalogue/requirement.ts';
import type { SectionReader } from '../section-reader.ts';
import { toEnumValue, toIsoTime, toText } from '../values/reported-value.ts';
import { describeStatement, toEpochMs, toStatedText } from '../values/statement.ts';

const verdicts = ['compliant', 'partial', 'non_compliant', 'not_applicable'] as const;

export const attestationHistory: SectionReader = {
  key: 'attestation_history',
  async read(reading, page) {
    const { rows, totalRowCount } = await readStatementStates(reading, 'attestation', page);
    const asOfMs = rows.length === 0 ? null : Math.max(...rows.map(({ recordedMs }) => recordedMs));
    return { rows: rows.map((row) => toRow(row, reading.toMs)), totalRowCount, asOfMs };
  },
};

function toRow(state: StatementState, toMs: number): JsonObject {
  const { recordId, requirementKey, facts } = state;
  const { type, id } = (facts.subject ?? {}) as Readonly<Record<string, unknown>>;
  const stated = toEpochMs(facts.validUntil);
  const expiryMs = findExpiry(state, stated);
  return {
    attestationId: recordId.toWellFormed(),
    requirementKey,
    subject: facts.subject == null ? null : { type: toText(type), id: toText(id) },
    state: findState(state, expiryMs, toMs),
    verdict: toEnumValue(facts.verdict, verdicts, null),
    justification: toStatedText(facts.justification),
    attestedBy: toText(facts.attestedBy),
    attestedAt: toIsoTime(facts.attestedAt),
    validUntil: toIsoTime(expiryMs),
    statedValidUntil: toIsoTime(stated),
    ...describeStatement(state),
  };
}

/** As stated, and never after the validity that the requirement allows. */
function findExpiry({ requirementKey, facts }: StatementState, statedMs: number | null): number | null {
  const requirement = requirementCatalogue.find(({ key }) => key === requirementKey);
  const attestedMs = toEpochMs(facts.attestedAt);
  if (requirement?.kind !== 'attested' || attestedMs === null) return statedMs;
  const latestMs = attestedMs + requirement.attestation.defaultValidityDays * dayMs;
  return statedMs === null ? latestMs : Math.min(statedMs, latestMs);
}

/** At the end of the window. */
function findState({ facts, isReplaced, isOutdated }: StatementState, expiryMs: number | null, toMs: number): string {
  const [attestedMs, withdrawnMs] = [toEpochMs(facts.attestedAt), toEpochMs(facts.withdrawnAt)];
  if (isReplaced || isOutdated) return 'replaced';
  if (withdrawnMs !== null && withdrawnMs <= toMs) return 'withdrawn';
  if (attestedMs !== null && attestedMs > toMs) return 'not_yet_in_force';
  return expiryMs !== null && expiryMs <= toMs ? 'expired' : 'in_force';
}
