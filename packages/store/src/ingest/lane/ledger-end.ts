/** Offsets in the topic of the ledger. */
export interface LedgerEnds {
  /** The end of the topic as this database knows it. */
  readonly topicEnd: bigint;
  /** Every entry before it is in the database; null where the topic was never compared. */
  readonly comparedEnd: bigint | null;
}

const sort = (offsets: readonly bigint[]) => offsets.toSorted((one, other) => (one < other ? -1 : 1));

/** The earliest and the latest end that one of the databases knows. */
export function findOuterEnds(databases: readonly LedgerEnds[]): { earliest: bigint; latest: bigint } {
  const ends = sort(databases.map(({ topicEnd }) => topicEnd));
  return { earliest: ends.at(0) ?? 0n, latest: ends.at(-1) ?? 0n };
}

/** How far each of the databases has the topic. One that was never compared may be quiet, so that the others count for it. */
export function findCommonEnd(databases: readonly LedgerEnds[]): bigint {
  const { latest } = findOuterEnds(databases);
  const ends = databases.map(({ topicEnd, comparedEnd }) => sort([topicEnd, comparedEnd ?? latest]).at(-1) ?? 0n);
  return sort(ends).at(0) ?? 0n;
}
