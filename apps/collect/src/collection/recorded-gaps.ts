import type { CollectionGap } from '@tenantscope/store/collect';

/** A stream has gaps while records were lost. */
const gapsMax = 100;

/** Of more gaps the oldest become one, which contains them: no time that has a gap is reported as complete. */
export function limitGaps(gaps: readonly CollectionGap[]): readonly CollectionGap[] {
  if (gaps.length <= gapsMax) return gaps;
  const joined = gaps.slice(0, gaps.length - gapsMax + 1);
  // Texts of one form, which are in the order of their times.
  const from = joined.map((gap) => gap.from).toSorted()[0] as string;
  const to = joined
    .map((gap) => gap.to)
    .toSorted()
    .at(-1) as string;
  return [{ from, to, reason: joinedReason }, ...gaps.slice(joined.length)];
}

const joinedReason = `several gaps: the newest ${gapsMax - 1} are listed on their own`;
