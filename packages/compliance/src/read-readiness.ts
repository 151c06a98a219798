import type { CopilotReadiness } from '@tenantscope/contract';
import { atOneMoment, type MomentLimits, readCopilotExposure } from '@tenantscope/store';
import { type StatusQuestion, statusBehind } from './read-status.ts';
import { readinessOf } from './readiness.ts';

type Pool = Parameters<typeof atOneMoment>[0];

/** Most sites and kinds of sensitive information that are shown. */
const shownMax = 50;

/** Readiness for an AI assistant, from the facts of one moment. Throws what `atOneMoment` does. */
export function readCopilotReadiness(
  pool: Pool,
  question: StatusQuestion,
  limits: MomentLimits = {},
): Promise<CopilotReadiness> {
  const read = async (client: Parameters<typeof statusBehind>[0]) => {
    const status = await statusBehind(client, question);
    const nowMs = Date.parse(status.generatedAt);
    return readinessOf(
      status,
      await readCopilotExposure(client, { tenantId: question.tenantId, nowMs, limit: shownMax }),
    );
  };
  return atOneMoment(pool, question.tenantId, read, limits);
}
