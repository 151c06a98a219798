import { type FrameworkHistoryPoint, historyPageMax, type RequirementHistoryPoint } from '@tenantscope/contract';
import { readSnapshotParts, type SnapshotPart, type SnapshotPartQuery } from '@tenantscope/store/compliance';
import type { PoolClient } from '@tenantscope/store/connection';
import { frameworkAliases, frameworkCatalogue } from '../catalogue/framework.ts';
import { toFrameworkPoint, toRequirementPoint } from './history-point.ts';

export type HistoryQuery = Pick<SnapshotPartQuery, 'tenantId' | 'key' | 'after' | 'limit'>;

export interface HistoryPage<Point> {
  readonly points: readonly Point[];
  readonly hasMore: boolean;
  readonly last: { readonly atMs: number; readonly id: string } | null;
}

/** The key of a framework, given as key or alias; null if there is none. */
export function findFrameworkKey(given: string): string | null {
  const key = frameworkAliases[given] ?? given;
  return frameworkCatalogue.some((framework) => framework.key === key) ? key : null;
}

/** A requirement in the stored snapshots of a tenant, newest first. The client is in a transaction with the tenant set. */
export const readRequirementHistory = (
  client: PoolClient,
  query: HistoryQuery,
): Promise<HistoryPage<RequirementHistoryPoint>> => readPage(client, query, 'requirements', toRequirementPoint);

/** The same of a framework. */
export const readFrameworkHistory = (
  client: PoolClient,
  query: HistoryQuery,
): Promise<HistoryPage<FrameworkHistoryPoint>> => readPage(client, query, 'frameworks', toFrameworkPoint);

async function readPage<Point>(
  client: PoolClient,
  query: HistoryQuery,
  list: SnapshotPartQuery['list'],
  toPoint: (snapshot: SnapshotPart, before: SnapshotPart | null) => Point,
): Promise<HistoryPage<Point>> {
  const limit = Math.min(query.limit, historyPageMax);
  // One more: whether there are more, and what the last one is compared with.
  const snapshots = await readSnapshotParts(client, { ...query, list, limit: limit + 1 });
  const shown = snapshots.slice(0, limit);
  const last = shown.at(-1);
  return {
    points: shown.map((snapshot, place) => toPoint(snapshot, snapshots[place + 1] ?? null)),
    hasMore: snapshots.length > limit,
    last: last ? { atMs: last.takenAtMs, id: last.id } : null,
  };
}
