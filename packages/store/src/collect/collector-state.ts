export type CollectorState = 'active' | 'paused' | 'removed';

/** A time whose records can no longer be collected, in RFC 3339. */
export interface CollectionGap {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}
