import type { PagePosition, RecordPage } from '@tenantscope/store/read';
import { boundAheadMaxMs } from '../limits.ts';

/** The watermark of a feed and the database clock, both in epoch milliseconds. */
export interface WatermarkState {
  readonly throughMs: number;
  readonly databaseNowMs: number;
}

/**
 * The upper bound of the window on the write clock. If missing or too far in the future, the first page sets it to the watermark;
 * later pages use the bound of the first page.
 */
export function resolveUpperBound(
  requested: { toMs: number | null; firstPage: boolean },
  watermark: WatermarkState,
): number {
  if (requested.toMs === null) return watermark.throughMs;
  const tooFar = requested.toMs > watermark.databaseNowMs + boundAheadMaxMs;
  return requested.firstPage && tooFar ? watermark.throughMs : requested.toMs;
}

export interface PageResult {
  readonly ascending: boolean;
  readonly boundMs: number;
  /** Everything at or before it was visible when the rows were read. */
  readonly throughMs: number;
  /** The position where the page starts. */
  readonly after: PagePosition | null;
  readonly rows: Pick<RecordPage, 'count' | 'hasMore' | 'last'>;
}

export type PageDecision =
  | { readonly kind: 'unsettled' }
  | { readonly kind: 'page'; readonly next: PagePosition | null; readonly resume: PagePosition | null };

/**
 * Decides the cursors of a page. `next` is where the next page starts, null on the last one; `resume` is where a later poll starts.
 *
 * A window that reaches beyond the watermark is never reported as complete: an ascending page with rows reports more; an empty page and any
 * descending page are unsettled. Positions move past the last row only where the feed is settled and fully read, and never backwards:
 * another instance may have an older watermark.
 */
export function decidePage({ ascending, boundMs, throughMs, after, rows }: PageResult): PageDecision {
  const settled = boundMs <= throughMs;
  if (!settled && (!ascending || rows.count === 0)) return { kind: 'unsettled' };
  if (!ascending) return { kind: 'page', next: rows.hasMore ? rows.last : null, resume: null };
  const reached = rows.hasMore && rows.last ? rows.last : later(after, Math.min(boundMs, throughMs));
  return { kind: 'page', next: rows.hasMore || !settled ? reached : null, resume: reached };
}

/** After all rows of the millisecond, or the position where that is already later. */
function later(position: PagePosition | null, atMs: number): PagePosition {
  return position !== null && position.atMs > atMs ? position : { atMs, id: null };
}
