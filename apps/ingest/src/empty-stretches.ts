interface SeenBatch {
  readonly topic: string;
  readonly partition: number;
  readonly batchSize: number;
  /** Null where the broker sent nothing from the asked offset on. */
  readonly firstOffset: string | null;
  readonly lastOffset: string;
}

export interface EmptyStretches {
  see(batch: SeenBatch): void;
  /** Where the records of a log end that ends there. */
  lastRecordEnd(topic: string, partition: number, endOffset: bigint): bigint;
}

/**
 * Remembers of each partition the last stretch in which nothing was but markers of transactions and what they took back. A client passes it without
 * handing out a batch, so that the lane stays before it; whoever counts what is unread must not count it.
 */
export function emptyStretches(): EmptyStretches {
  const last = new Map<string, { from: bigint; to: bigint }>();
  return {
    see({ topic, partition, batchSize, firstOffset, lastOffset }) {
      if (batchSize > 0 || firstOffset === null) return;
      const before = last.get(`${topic}/${partition}`);
      const [from, to] = [BigInt(firstOffset), BigInt(lastOffset) + 1n];
      last.set(`${topic}/${partition}`, { from: before?.to === from ? before.from : from, to });
    },
    lastRecordEnd(topic, partition, endOffset) {
      const stretch = last.get(`${topic}/${partition}`);
      return stretch?.to === endOffset ? stretch.from : endOffset;
    },
  };
}
