import type { CollectionGap } from '@tenantscope/store/collect';
import type { StreamInput } from './provider.ts';

/** The first listing begins an hour or two later than the retention of the provider, and the first run some time after the creation of its collector. */
const allowanceMs = 3 * 3_600_000;

export function describeGap(fromMs: number, toMs: number, reason: string): CollectionGap {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), reason };
}

/**
 * What is lost before the first records that were ever listed, from `firstMs` on: the time since the start of the collector, without the allowance. Of the time since its
 * creation, which nothing but failures or a pause can lose, every second counts.
 */
export function listFirstGaps(
  { startAtMs, createdAtMs }: Pick<StreamInput, 'startAtMs' | 'createdAtMs'>,
  firstMs: number,
  reason: string,
): CollectionGap[] {
  const expectedMs = firstMs - startAtMs > allowanceMs ? startAtMs : Math.max(startAtMs, createdAtMs);
  return expectedMs < firstMs ? [describeGap(expectedMs, firstMs, reason)] : [];
}
