/** Where a batch begins, the position of its lane, and the broker's offsets. */
export interface BatchStart {
  fetched: bigint;
  expected: bigint;
  /** The broker's first offset, requested now. */
  earliest: bigint;
  /** One past the broker's last offset. */
  highWatermark: bigint;
  /** False: the topic was recreated, or the cluster is another one. */
  sameLog: boolean;
  /** An operator accepted the records that are missing, however many. */
  accepted: boolean;
}

export type Admission =
  | { kind: 'pass' }
  /** No record of ours lies between the lane and the batch: the lane continues at the batch. */
  | { kind: 'skip'; because: 'hole' | 'accepted' | 'new lane' }
  /** The batch is not at the lane's position: read the position again and seek there. */
  | { kind: 'reassign' }
  /** The log ends below the lane's position: of a new leader it may seem so at first. */
  | { kind: 'truncated'; reason: string }
  | { kind: 'stop'; reason: string };

/**
 * A Kafka client that requests an offset out of range jumps to another one silently. Every batch must begin at its lane's position. One that
 * does not follows a hole left by compaction or an aborted transaction (the log still reaches back to the lane), or it is rejected.
 */
export function admitBatch(start: BatchStart): Admission {
  const { fetched, expected, earliest, highWatermark } = start;
  if (fetched === expected && start.sameLog) return { kind: 'pass' };
  if (!start.sameLog) return { kind: 'reassign' };
  if (start.accepted) return { kind: 'skip', because: 'accepted' };
  if (fetched > expected) {
    if (earliest <= expected) return { kind: 'skip', because: 'hole' };
    if (expected === 0n) return { kind: 'skip', because: 'new lane' };
    return {
      kind: 'stop',
      reason: `gap: the lane is at offset ${expected} and the log begins at ${earliest}; the records in between are lost`,
    };
  }
  if (highWatermark < expected) {
    return {
      kind: 'truncated',
      reason: `log truncated: it ends at ${highWatermark}, below ${expected}, the lane's position`,
    };
  }
  return { kind: 'reassign' };
}
