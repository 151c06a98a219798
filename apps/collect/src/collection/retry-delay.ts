import type { ProviderFailure } from '../provider/provider-failure.ts';

const firstMs = 2_000;
const longestMs = 15 * 60_000;
/** What a provider may request: a longer wait is a fault of its headers, and would lose records that expire. */
const requestedLongestMs = 3_600_000;

/**
 * When a run that failed is repeated. The delay doubles with each failure in a row, from 2 s to 15 min, of which a random half is waited. A time that the provider requests counts
 * instead, with up to a tenth or a second more, so that many streams do not return at once; from the second failure on, the longer of both.
 *
 * @param failureCount failures in a row before this one
 * @param random from 0 to 1
 */
export function computeRetryDelay(
  { waitMs }: Pick<ProviderFailure, 'waitMs'>,
  failureCount: number,
  random = Math.random(),
): number {
  const ownMs = Math.min(longestMs, firstMs * 2 ** Math.min(failureCount, 20)) * (0.5 + random / 2);
  if (waitMs === null || !Number.isFinite(waitMs)) return Math.round(ownMs);
  const limitedMs = Math.min(Math.max(waitMs, 0), requestedLongestMs);
  const requestedMs = limitedMs + 100 + random * Math.max(1_000, limitedMs / 10);
  return Math.round(failureCount > 0 ? Math.max(requestedMs, ownMs) : requestedMs);
}
