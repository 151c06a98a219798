import type { SecurityScore } from '@tenantscope/contract';
import { atOneMoment, type MomentLimits, readVendorScores } from '@tenantscope/store';
import { type StatusQuestion, statusBehind } from './read-status.ts';
import { scoreHistoryDays, securityScoreOf } from './security-score.ts';

type Pool = Parameters<typeof atOneMoment>[0];

const dayMs = 86_400_000;

/** The vendor's score and the service's own measurements, of one moment. Throws what `atOneMoment` does. */
export function readSecurityScore(
  pool: Pool,
  question: StatusQuestion,
  limits: MomentLimits = {},
): Promise<SecurityScore> {
  const read = async (client: Parameters<typeof statusBehind>[0]) => {
    const status = await statusBehind(client, question);
    const nowMs = Date.parse(status.generatedAt);
    const sinceMs = nowMs - 2 * scoreHistoryDays * dayMs;
    return securityScoreOf(await readVendorScores(client, { tenantId: question.tenantId, nowMs, sinceMs }), status);
  };
  return atOneMoment(pool, question.tenantId, read, limits);
}
