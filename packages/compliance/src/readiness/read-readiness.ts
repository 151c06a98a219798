import type { ComplianceStatus, CopilotReadiness } from '@tenantscope/contract';
import { type CopilotExposure, readCopilotExposure } from '@tenantscope/store/compliance';
import { type PoolClient, readTogether } from '@tenantscope/store/connection';
import type { StatusReading } from '../status/status-reading.ts';
import { buildCopilotReadiness } from './copilot-readiness.ts';

/** Maximum number of sites and kinds of sensitive information shown. */
const shownMax = 50;

/** Readiness for an AI assistant, from the snapshot in which the status is evaluated or one with the same facts. */
export async function readCopilotReadiness(
  client: PoolClient,
  tenantId: string,
  { nowMs, read }: StatusReading,
): Promise<CopilotReadiness> {
  const [exposure, status] = await readTogether<[CopilotExposure, ComplianceStatus]>(client, [
    (one) => readCopilotExposure(one, { tenantId, nowMs, limit: shownMax }),
    read,
  ]);
  return buildCopilotReadiness(status, exposure);
}
