import { dayMs } from '@tenantscope/contract';

/** A closed window of times in epoch ms; null: from the beginning. */
export interface TimeWindow {
  readonly fromMs: number | null;
  readonly toMs: number;
}

const firstPartMs = dayMs;
/**
 * A part that ran shorter than half of it is followed by one twice as long, and one that ran longer than twice by one half as long. Four times made
 * parts of 25 ms ones of 140 ms (up to 190), and the pages of others wait for each.
 */
const usualDurationMs = 40;
const factor = 2;
/** A window without a beginning ends with a part without one after a part of this length: no history is longer. */
const longestPartMs = 1_024 * dayMs;
/** The last part has the rest: on saturated processors even a part without rows takes long, and parts would not grow. */
const partsMax = 20;

/**
 * Cuts a window into consecutive parts in the order of the sort, so that no statement runs long. The next part is as long as the time that the
 * last one ran allows. An ascending window without a beginning is one part, since nothing says where its rows begin.
 */
export function createWindowParts(window: TimeWindow, ascending: boolean) {
  const { fromMs, toMs } = window;
  let lengthMs = firstPartMs;
  let edgeMs: number | null = ascending ? fromMs : toMs;
  let count = 0;
  let isDone = false;

  const takeAscending = (startMs: number | null): TimeWindow => {
    const endMs = startMs === null || count >= partsMax ? toMs : Math.min(toMs, startMs + lengthMs - 1);
    isDone = endMs >= toMs;
    edgeMs = endMs + 1;
    return { fromMs: startMs, toMs: endMs };
  };
  const takeDescending = (endMs: number): TimeWindow => {
    const isLast = count >= partsMax || (fromMs === null ? lengthMs > longestPartMs : endMs - lengthMs < fromMs);
    const startMs = isLast ? fromMs : endMs - lengthMs + 1;
    isDone = isLast;
    edgeMs = endMs - lengthMs;
    return { fromMs: startMs, toMs: endMs };
  };

  return {
    /** Null after the last part. */
    next(): TimeWindow | null {
      if (isDone) return null;
      count += 1;
      return ascending ? takeAscending(edgeMs) : takeDescending(edgeMs ?? toMs);
    },
    /** How long the statement of the last part ran. */
    adapt(durationMs: number): void {
      if (durationMs < usualDurationMs / 2) lengthMs *= factor;
      else if (durationMs > usualDurationMs * 2) lengthMs = Math.max(firstPartMs, lengthMs / factor);
    },
  };
}
