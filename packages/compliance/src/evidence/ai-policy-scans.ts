import type { JsonObject } from '@tenantscope/proof';
import { type AiPolicyScan, readAiPolicyScans } from '@tenantscope/store';
import { severities } from './closed-values.ts';
import type { SectionReader } from './section.ts';
import { toldTime, toldWord } from './told-value.ts';

export const aiPolicyScans: SectionReader = {
  key: 'ai_policy_scans',
  async read(reading, page) {
    const { rows, totalRowCount } = await readAiPolicyScans(reading, page);
    return { rows: rows.map(rowOf), totalRowCount, asOfMs: null };
  },
};

function rowOf(scan: AiPolicyScan): JsonObject {
  return {
    scanId: scan.scanId,
    policyId: scan.policyId,
    policyName: scan.policyName,
    scannedAt: toldTime(scan.scannedMs),
    severity: toldWord(scan.severity, severities, null),
    status: toldWord(scan.status, ['open', 'resolved', 'snoozed', 'clear', 'error'], null),
    // A scan that failed matched nobody knows what.
    matchedResources: scan.status === 'error' ? null : scan.matchedResources,
    resourceType: scan.resourceType,
    previousMatched: scan.previousMatched,
    isResolved: scan.isResolved,
    resolvedAt: toldTime(scan.resolvedAt),
    assignedUser: scan.assignedUser,
  };
}
