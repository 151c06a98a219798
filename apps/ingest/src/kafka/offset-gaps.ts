interface SeenBatch {
  readonly topic: string;
  readonly partition: number;
  readonly batchSize: number;
  /** Null where the broker returned nothing from the requested offset on. */
  readonly firstOffset: string | null;
  readonly lastOffset: string;
}

export interface OffsetGaps {
  recordBatch(batch: SeenBatch): void;
  /** The offset after the last record of a log that ends at `endOffset`. */
  lastRecordEnd(topic: string, partition: number, endOffset: bigint): bigint;
}

/**
 * Tracks the last range of each partition that holds only transaction markers and aborted records. The client skips it without a batch, so
 * the lane's position stays before it; it must not count as lag.
 */
export function trackOffsetGaps(): OffsetGaps {
  const last = new Map<string, { from: bigint; to: bigint }>();
  return {
    recordBatch({ topic, partition, batchSize, firstOffset, lastOffset }) {
      if (batchSize > 0 || firstOffset === null) return;
      const before = last.get(`${topic}/${partition}`);
      const [from, to] = [BigInt(firstOffset), BigInt(lastOffset) + 1n];
      last.set(`${topic}/${partition}`, { from: before?.to === from ? before.from : from, to });
    },
    lastRecordEnd(topic, partition, endOffset) {
      const gap = last.get(`${topic}/${partition}`);
      return gap?.to === endOffset ? gap.from : endOffset;
    },
  };
}
