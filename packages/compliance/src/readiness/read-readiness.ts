import type { ComplianceStatus, CopilotReadiness } from '@tenantscope/contract';
import { readCopilotExposure } from '@tenantscope/store/compliance';
import type { PoolClient } from '@tenantscope/store/connection';
import { buildCopilotReadiness } from './copilot-readiness.ts';

/** Maximum number of sites and kinds of sensitive information shown. */
const shownMax = 50;

/** Readiness for an AI assistant, from the snapshot in which the status was evaluated or one with the same facts. */
export async function readCopilotReadiness(
  client: PoolClient,
  tenantId: string,
  status: ComplianceStatus,
): Promise<CopilotReadiness> {
  const nowMs = Date.parse(status.generatedAt);
  return buildCopilotReadiness(status, await readCopilotExposure(client, { tenantId, nowMs, limit: shownMax }));
}
