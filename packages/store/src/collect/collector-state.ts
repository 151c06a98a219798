export type CollectorState = 'active' | 'paused' | 'removed';

/** Why the last run failed. */
export interface RunFailure {
  /** Such as `throttled` or `refused`: the collecting process names it. */
  readonly kind: string;
  readonly message: string;
}

/** A time whose records can no longer be collected, in RFC 3339. */
export interface CollectionGap {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}
