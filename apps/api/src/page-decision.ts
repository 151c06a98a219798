import { boundAheadMs } from './limits.ts';

/** How far a feed is settled, and the database's clock, both epoch milliseconds. */
export interface Standing {
  readonly throughMs: number;
  readonly databaseNowMs: number;
}

/** A place between rows: after the row of this time and id. */
export interface Position {
  readonly atMs: number;
  readonly id: string;
}

/** Greater than every row's id: «after everything of that millisecond». */
export const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * The upper bound of the window on the write clock. Absent or too far ahead it is frozen at the watermark, once, on the first page;
 * what an earlier page fixed stays what it was.
 */
export function fixBound(asked: { toMs: number | null; firstPage: boolean }, standing: Standing): number {
  if (asked.toMs === null) return standing.throughMs;
  const tooFar = asked.toMs > standing.databaseNowMs + boundAheadMs;
  return asked.firstPage && tooFar ? standing.throughMs : asked.toMs;
}

export interface PageOutcome {
  readonly ascending: boolean;
  readonly boundMs: number;
  /** Everything at or before it was visible when the rows were read. */
  readonly throughMs: number;
  /** Where the page began. */
  readonly after: Position | null;
  readonly rows: { readonly count: number; readonly hasMore: boolean; readonly last: Position | null };
}

export type PageDecision =
  | { readonly kind: 'unsettled' }
  | { readonly kind: 'page'; readonly next: Position | null; readonly resume: Position | null };

/**
 * What a page may claim. `next` is where the next page starts, null when this is the last one; `resume` is where a later poll starts.
 *
 * A window that reaches beyond the watermark is never called complete: with rows, on an ascending sort, the page says that there is
 * more; without, and on any descending sort, there is no true answer yet. Positions move past the last row only through what is settled
 * and wholly read, and never back: another instance may know an older watermark.
 */
export function decidePage({ ascending, boundMs, throughMs, after, rows }: PageOutcome): PageDecision {
  const settled = boundMs <= throughMs;
  if (!settled && (!ascending || rows.count === 0)) return { kind: 'unsettled' };
  if (!ascending) return { kind: 'page', next: rows.hasMore ? rows.last : null, resume: null };
  const reached =
    rows.hasMore && rows.last ? rows.last : later(after, { atMs: Math.min(boundMs, throughMs), id: lastId });
  return { kind: 'page', next: rows.hasMore || !settled ? reached : null, resume: reached };
}

function later(one: Position | null, other: Position): Position {
  if (one === null || one.atMs < other.atMs) return other;
  return one.atMs > other.atMs || one.id > other.id ? one : other;
}
