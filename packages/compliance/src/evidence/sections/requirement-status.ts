import { type ComplianceStatus, findingsPath, type RequirementStatus } from '@tenantscope/contract';
import type { JsonObject } from '@tenantscope/proof';
import { readSnapshotBefore, type SnapshotSummary } from '@tenantscope/store/compliance';
import { evidenceSections } from '../../catalogue/evidence.ts';
import { toBaseline } from '../../status/read-status.ts';
import { paginateRows, type SectionReader } from '../section-reader.ts';
import { toIsoTime } from '../values/reported-value.ts';

const key = 'requirement_status';

/** Statuses of the newest snapshot at or before the window's end: they stay the same however often the pack is generated. */
export const requirementStatus: SectionReader = {
  key,
  async read(reading, page) {
    const snapshot = await readSnapshotBefore(reading);
    const status = toBaseline(snapshot)?.status ?? null;
    const cited = status?.requirements.filter((one) => (one.evidenceSections ?? []).length > 0) ?? [];
    const rows = snapshot && status ? cited.map((one) => toRow(one, snapshot, status)) : [];
    const orderBy = evidenceSections.find((one) => one.key === key)?.orderBy ?? 'requirementKey';
    return { ...paginateRows(rows, orderBy, page), asOfMs: rows.length === 0 ? null : (snapshot?.takenAtMs ?? null) };
  },
};

function toRow(requirement: RequirementStatus, snapshot: SnapshotSummary, status: ComplianceStatus): JsonObject {
  const { exceptions = null, metricsJson, findingsUrl } = requirement;
  return {
    requirementKey: requirement.key,
    title: requirement.title,
    titlePl: requirement.titlePl,
    status: requirement.status,
    statusWithoutExceptions: exceptions?.statusWithout ?? requirement.status,
    evaluation: requirement.evaluation,
    reason: requirement.reason,
    metrics: metricsJson,
    findings: findingsUrl === null ? null : listFindings(requirement.key),
    evidenceSections: requirement.evidenceSections,
    dataAsOf: requirement.dataAsOf,
    snapshotId: snapshot.id,
    snapshotTakenAt: toIsoTime(snapshot.takenAtMs),
    snapshotLate: snapshot.late,
    catalogueVersion: snapshot.catalogueVersion,
    evaluatorVersion: status.evaluatorVersion ?? null,
  };
}

/** Where the subjects are listed that the metrics count. */
const listFindings = (requirementKey: string): JsonObject => ({
  failing: findingsPath(requirementKey, 'failing'),
  unknown: findingsPath(requirementKey, 'unknown'),
  excepted: findingsPath(requirementKey, 'excepted'),
});
