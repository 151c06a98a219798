import { shrinkPage } from '../page-size.ts';
import type { Position, Window } from './window-position.ts';
import type { WindowSource } from './window-source.ts';

/** A listing that failed once, such as while a provider is restarted, is requested unchanged. */
const unchangedFailures = 1;
/** Pages with fewer records take no less time at a provider, and more requests. */
const failedPageMin = 50;

/** After a page that was too large: pages with a quarter of the records. The link has the size of its page, so that the part is listed from its beginning. */
export function shrinkPages(position: Position, window: Window): Position {
  return storeWindow({ ...position, pageMax: shrinkPage(position.pageMax) }, { ...window, next: null });
}

/** After a link that expired before it was followed: a part of a quarter of the time, which has fewer pages. */
export function shrinkPart(position: Position, window: Window, { partMinMs }: WindowSource): Position {
  const partMs = Math.min(position.partMs, Math.max(partMinMs, Math.round(position.partMs / 4)));
  const partToMs = Math.min(window.toMs, window.fromMs + partMs);
  return storeWindow({ ...position, partMs }, { ...window, partToMs, next: null });
}

/** After a listing that failed: unchanged at first, then with fewer records and a shorter time from run to run, since a provider may need longer for it than a request may take. */
export function countFailure(position: Position, window: Window, source: WindowSource): Position {
  const failed = { ...position, failed: position.failed + 1 };
  if (failed.failed <= unchangedFailures) return storeWindow(failed, window);
  const { pageMax } = position;
  const fewer = { ...failed, pageMax: Math.min(pageMax, Math.max(failedPageMin, shrinkPage(pageMax))) };
  return shrinkPart(fewer, window, source);
}

/** After a window: four times as many records and as much time, up to those of the source. */
export function growListings(position: Position, { pageMax, windowMs, overlapMs }: WindowSource): Position {
  return {
    ...position,
    pageMax: Math.min(pageMax, position.pageMax * 4),
    partMs: Math.min(windowMs + overlapMs, position.partMs * 4),
  };
}

export function storeWindow(position: Position, window: Window): Position {
  return window.reread === null ? { ...position, window } : { ...position, reread: window };
}
