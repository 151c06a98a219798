/** Where a batch begins, where its lane stands, and what the broker says of its log. Offsets. */
export interface BatchStart {
  fetched: bigint;
  expected: bigint;
  /** The broker's first offset, asked now. */
  earliest: bigint;
  /** One past the broker's last offset. */
  highWatermark: bigint;
  /** False: the topic was made anew, or the cluster is another one. */
  sameLog: boolean;
  /** The operator has said to go on from wherever the log begins. */
  accepted: boolean;
}

export type Admission =
  | { kind: 'pass' }
  /** Nothing of ours lies between the lane and the batch: the lane goes on from the batch. */
  | { kind: 'skip'; because: 'hole' | 'accepted' | 'new lane' }
  /** Not from here: read the lane again and seek there. */
  | { kind: 'rejoin' }
  | { kind: 'stop'; reason: string };

/**
 * A Kafka client that is asked for an offset out of range jumps without a word. Every batch must begin where its lane stands; what does not
 * is a hole that compaction or an aborted transaction left (the log still reaches back to the lane), or it is refused.
 */
export function admit(start: BatchStart): Admission {
  const { fetched, expected, earliest, highWatermark } = start;
  if (fetched === expected && start.sameLog) return { kind: 'pass' };
  if (!start.sameLog) return { kind: 'rejoin' };
  if (start.accepted) return { kind: 'skip', because: 'accepted' };
  if (fetched > expected) {
    if (earliest <= expected) return { kind: 'skip', because: 'hole' };
    if (expected === 0n) return { kind: 'skip', because: 'new lane' };
    return {
      kind: 'stop',
      reason: `a gap: the lane stands at ${expected} and the log begins at ${earliest}; the records between are gone`,
    };
  }
  if (highWatermark < expected) {
    return {
      kind: 'stop',
      reason: `the log ends at ${highWatermark}, below ${expected} where the lane stands: records were taken back`,
    };
  }
  return { kind: 'rejoin' };
}
