import { dayMs, type SecurityScore } from '@tenantscope/contract';
import { readVendorScores } from '@tenantscope/store/compliance';
import type { PoolClient } from '@tenantscope/store/connection';
import type { StatusReading } from '../status/status-reading.ts';
import { buildSecurityScore, scoreHistoryDays } from './security-score.ts';

/** The vendor's score and the service's own measurements, from the snapshot in which the status is evaluated or one with the same facts. */
export async function readSecurityScore(
  client: PoolClient,
  tenantId: string,
  { nowMs, read }: StatusReading,
): Promise<SecurityScore> {
  const sinceMs = nowMs - 2 * scoreHistoryDays * dayMs;
  return buildSecurityScore(await readVendorScores(client, { tenantId, nowMs, sinceMs }), await read(client));
}
