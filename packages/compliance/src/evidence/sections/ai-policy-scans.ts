import type { JsonObject } from '@tenantscope/proof';
import { type AiPolicyScan, readAiPolicyScans } from '@tenantscope/store/compliance';
import type { SectionReader } from '../section-reader.ts';
import { severities } from '../values/enums.ts';
import { toEnumValue, toIsoTime } from '../values/reported-value.ts';

export const aiPolicyScans: SectionReader = {
  key: 'ai_policy_scans',
  async read(reading, page) {
    const { rows, totalRowCount } = await readAiPolicyScans(reading, page);
    return { rows: rows.map(toRow), totalRowCount, asOfMs: null };
  },
};

function toRow(scan: AiPolicyScan): JsonObject {
  return {
    scanId: scan.scanId,
    policyId: scan.policyId,
    policyName: scan.policyName,
    scannedAt: toIsoTime(scan.scannedMs),
    severity: toEnumValue(scan.severity, severities, null),
    status: toEnumValue(scan.status, ['open', 'resolved', 'snoozed', 'clear', 'error'], null),
    // The number of matches of a failed scan is unknown.
    matchedResources: scan.status === 'error' ? null : scan.matchedResources,
    resourceType: scan.resourceType,
    previousMatched: scan.previousMatched,
    isResolved: scan.isResolved,
    resolvedAt: toIsoTime(scan.resolvedAt),
    assignedUser: scan.assignedUser,
  };
}
