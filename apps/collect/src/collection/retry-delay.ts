import type { ProviderFailure } from '../provider/provider-failure.ts';

const firstMs = 2_000;
const longestMs = 15 * 60_000;
/** What a provider may request: a longer wait is a fault of its headers, and would lose records that expire. */
const requestedLongestMs = 3_600_000;

/**
 * When a run that failed is repeated. The provider's own time counts, with up to a tenth or a second more, so that many streams do not return at once; else the delay
 * doubles with each failure in a row, from 2 s to 15 min, of which a random half is waited.
 *
 * @param failureCount failures in a row before this one
 * @param random from 0 to 1
 */
export function computeRetryDelay(
  { waitMs }: Pick<ProviderFailure, 'waitMs'>,
  failureCount: number,
  random = Math.random(),
): number {
  const ownMs = Math.min(longestMs, firstMs * 2 ** Math.min(failureCount, 20));
  if (waitMs === null || !Number.isFinite(waitMs)) return Math.round(ownMs * (0.5 + random / 2));
  const requestedMs = Math.min(Math.max(waitMs, 0), requestedLongestMs);
  return Math.round(requestedMs + 100 + random * Math.max(1_000, requestedMs / 10));
}
