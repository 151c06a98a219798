import type { StoredEntity } from './stored-entities.ts';

/**
 * The version of an entity: the sum of its parts' versions, with which every order of delivery ends. A version is a whole
 * number of at most 2^53 - 1, which the sum of 5,000 times in milliseconds exceeds: above `sumMax` the version is that bound
 * and the time of the write, which also tells a state from one that was lost with a database. It increases where the sum does
 * not, too: after the versions of parts were set back.
 */
export function computeVersion(
  sum: number,
  { stored, stamp, wasSighted }: { stored: StoredEntity | undefined; stamp: string; wasSighted: boolean },
): number {
  const version = sum > sumMax ? sumMax + Date.parse(stamp) : sum;
  // Sums above 2^53 may have been stored before there was a bound.
  if (stored === undefined || !Number.isSafeInteger(stored.version)) return version;
  const isSum = version === sum && sum >= stored.version && !wasSighted;
  return isSum ? version : Math.max(version, stored.version + 1);
}

/** 2^43 ms are 278 years. */
const sumMax = 2 ** 53 - 2 ** 43;
