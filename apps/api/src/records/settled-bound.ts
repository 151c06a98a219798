import { type FeedName, feedNames } from '@tenantscope/contract';
import type { Watermark } from '@tenantscope/store/read';
import { serviceUnavailable } from '../http/error-response.ts';
import { settleTimeoutMs } from '../limits.ts';
import { resolveUpperBound, type WatermarkState } from './page-decision.ts';

export interface SettledBound {
  readonly boundMs: number;
  /** As it was after waiting: it may still be earlier than the bound. */
  readonly settled: WatermarkState;
}

/** Resolves the upper bound of a window on the write clock and waits until it is settled. */
export async function settleUpperBound(
  watermark: Watermark,
  feed: FeedName,
  tenantId: string,
  requested: { readonly toMs: number | null; readonly firstPage: boolean },
): Promise<SettledBound> {
  const settled = requireWatermark(watermark, feed, tenantId);
  const boundMs = resolveUpperBound(requested, settled);
  if (boundMs <= settled.throughMs) return { boundMs, settled };
  await watermark.waitUntilSettled(feed, boundMs, settleTimeoutMs);
  return { boundMs, settled: requireWatermark(watermark, feed, tenantId) };
}

export function requireWatermark(watermark: Watermark, feed: FeedName, tenantId: string): WatermarkState {
  const settled = watermark.settledFor(feed, tenantId);
  if (!settled) throw serviceUnavailable('Feed completeness is temporarily unknown (watermark unavailable).');
  return settled;
}

/** The time through which every feed is complete, for documents about all of them. */
export function requireSettledThrough(watermark: Watermark, tenantId: string): WatermarkState {
  const states = feedNames.map((feed) => requireWatermark(watermark, feed, tenantId));
  return {
    throughMs: Math.min(...states.map(({ throughMs }) => throughMs)),
    databaseNowMs: Math.min(...states.map(({ databaseNowMs }) => databaseNowMs)),
  };
}

export const windowUnsettled = () =>
  serviceUnavailable(
    'The window ends later than the feed is complete. End it at an earlier time, or leave its end open.',
  );
