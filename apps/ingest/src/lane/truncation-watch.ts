/** Logs that end below the positions of their lanes. */
export interface TruncationWatch {
  /** Notes that the log of a partition ends below this position. True once it has done so for a minute. */
  isLasting(topic: string, partition: number, position: bigint): boolean;
}

/** When the end of a log is requested again. */
export const truncationRetryMs = 1_000;
/** A partition that is not requested for so long was read meanwhile. */
const forgottenMs = 10 * truncationRetryMs;
/**
 * A new leader does not know at first how far the copies of the others reach, and its log seems to end earlier: until they have
 * fetched from it, or until a copy that hangs is left out (replica.lag.time.max.ms, 30 s by default).
 */
const lastingMs = 60_000;

export function createTruncationWatch(now: () => number = () => performance.now()): TruncationWatch {
  const seen = new Map<string, { position: bigint; firstMs: number; lastMs: number }>();
  return {
    isLasting(topic, partition, position) {
      const key = `${topic}/${partition}`;
      const lastMs = now();
      const before = seen.get(key);
      const isSame = before?.position === position && lastMs - before.lastMs < forgottenMs;
      const firstMs = isSame ? before.firstMs : lastMs;
      seen.set(key, { position, firstMs, lastMs });
      return lastMs - firstMs >= lastingMs;
    },
  };
}
