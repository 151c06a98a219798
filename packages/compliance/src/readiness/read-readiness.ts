import type { CopilotReadiness } from '@tenantscope/contract';
import { readCopilotExposure } from '@tenantscope/store/compliance';
import { type ReadLimits, withReadSnapshot } from '@tenantscope/store/connection';
import { readStatusInSnapshot, type StatusQuery } from '../status/read-status.ts';
import { buildCopilotReadiness } from './copilot-readiness.ts';

type Pool = Parameters<typeof withReadSnapshot>[0];

/** Maximum number of sites and kinds of sensitive information shown. */
const shownMax = 50;

/** Readiness for an AI assistant, from one read snapshot. Throws what `atOneMoment` does. */
export function readCopilotReadiness(
  pool: Pool,
  query: StatusQuery,
  limits: ReadLimits = {},
): Promise<CopilotReadiness> {
  const read = async (client: Parameters<typeof readStatusInSnapshot>[0]) => {
    const status = await readStatusInSnapshot(client, query);
    const nowMs = Date.parse(status.generatedAt);
    return buildCopilotReadiness(
      status,
      await readCopilotExposure(client, { tenantId: query.tenantId, nowMs, limit: shownMax }),
    );
  };
  return withReadSnapshot(pool, query.tenantId, read, limits);
}
