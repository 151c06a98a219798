import type { SecurityScore } from '@tenantscope/contract';
import { readVendorScores } from '@tenantscope/store/compliance';
import { type ReadLimits, withReadSnapshot } from '@tenantscope/store/connection';
import { readStatusInSnapshot, type StatusQuery } from '../status/read-status.ts';
import { buildSecurityScore, scoreHistoryDays } from './security-score.ts';

type Pool = Parameters<typeof withReadSnapshot>[0];

const dayMs = 86_400_000;

/** The vendor's score and the service's own measurements, from one read snapshot. Throws what `atOneMoment` does. */
export function readSecurityScore(pool: Pool, query: StatusQuery, limits: ReadLimits = {}): Promise<SecurityScore> {
  const read = async (client: Parameters<typeof readStatusInSnapshot>[0]) => {
    const status = await readStatusInSnapshot(client, query);
    const nowMs = Date.parse(status.generatedAt);
    const sinceMs = nowMs - 2 * scoreHistoryDays * dayMs;
    return buildSecurityScore(await readVendorScores(client, { tenantId: query.tenantId, nowMs, sinceMs }), status);
  };
  return withReadSnapshot(pool, query.tenantId, read, limits);
}
