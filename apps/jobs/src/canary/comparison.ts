/** A row of the canary's tenant as the API serves it. */
export interface CanaryRow {
  readonly id: string;
  /** The time of `discoveredAt` in ms. */
  readonly discoveredAtMs: number;
}

/** A window of `discoveredAt` with both ends in ms included, and the ids of its rows when it was read. */
export interface ReadWindow {
  readonly fromMs: number;
  readonly toMs: number;
  ids: ReadonlySet<string>;
  /** When it is due to be read again, on the clock of `discoveredAt`. */
  repeatAtMs: number;
  repeats: number;
}

/** `cursor` follows the cursor, `window` reads adjacent windows, `repeat` reads each window again. */
export const canaryPollers = ['cursor', 'window', 'repeat'] as const;
export type CanaryPoller = (typeof canaryPollers)[number];

/** What contradicts the guarantee of the API. */
export interface Contradictions {
  missed(poller: CanaryPoller, ids: readonly string[]): void;
  repeated(ids: readonly string[]): void;
  windowChanged(window: ReadWindow): void;
}

/** Compares what three pollers of one tenant received. */
export interface Comparison {
  /** Kafka has acknowledged the record that was sent at this time. Each has a later time than the one before. */
  acknowledge(sentAtMs: number): void;
  /** Rows that the cursor returned; with the last page, the time through which they are complete. */
  follow(rows: readonly CanaryRow[], completeThroughMs: number | null): void;
  /** A closed window was read for the first time. */
  addWindow(fromMs: number, toMs: number, rows: readonly CanaryRow[]): void;
  /** The oldest window that is due to be read again and that the cursor has passed. */
  findDueWindow(): ReadWindow | null;
  /** A window was read again; `sentAtMs` of each row that is a record of this process. */
  repeatWindow(window: ReadWindow, rows: readonly (CanaryRow & { readonly sentAtMs: number | null })[]): void;
  /** The time through which the cursor has returned everything; null before its first complete page. */
  followedThroughMs(): number | null;
}

const repeatAgesMs = [60_000, 600_000];
/** Ids are remembered until their window has been read for the last time. */
const rememberedMs = 1_200_000;
/** Records of a partition have rows in their order. A record this much older than the newest with a row has no row. */
const orderToleranceMs = 60_000;

export function createComparison(contradictions: Contradictions): Comparison {
  const followed = new Map<string, number>();
  const missedByCursor = new Map<string, number>();
  const unconfirmed = new Set<number>();
  let windows: readonly ReadWindow[] = [];
  let throughMs: number | null = null;

  const confirm = (times: readonly number[]) => {
    for (const time of times) unconfirmed.delete(time);
    const newestMs = times.reduce((newest, time) => Math.max(newest, time), Number.NEGATIVE_INFINITY);
    const missing = [...unconfirmed].filter((time) => time < newestMs - orderToleranceMs);
    for (const time of missing) unconfirmed.delete(time);
    if (missing.length > 0) contradictions.missed('repeat', missing.map(String));
  };
  return {
    followedThroughMs: () => throughMs,
    acknowledge: (sentAtMs) => void unconfirmed.add(sentAtMs),
    follow(rows, completeThroughMs) {
      const repeated = rows.filter(({ id }) => followed.has(id)).map(({ id }) => id);
      if (repeated.length > 0) contradictions.repeated(repeated);
      for (const { id, discoveredAtMs } of rows) followed.set(id, discoveredAtMs);
      if (completeThroughMs === null) return;
      throughMs = Math.max(throughMs ?? completeThroughMs, completeThroughMs);
      for (const seen of [followed, missedByCursor])
        for (const [id, atMs] of seen) if (atMs < throughMs - rememberedMs) seen.delete(id);
    },
    addWindow(fromMs, toMs, rows) {
      const ids = new Set(rows.map(({ id }) => id));
      windows = [...windows, { fromMs, toMs, ids, repeatAtMs: toMs + (repeatAgesMs[0] ?? 0), repeats: 0 }];
    },
    findDueWindow: () =>
      windows.find(({ repeatAtMs, toMs }) => throughMs !== null && repeatAtMs <= throughMs && toMs <= throughMs) ??
      null,
    repeatWindow(window, rows) {
      const ids = new Set(rows.map(({ id }) => id));
      const added = [...ids].filter((id) => !window.ids.has(id));
      if (added.length > 0) contradictions.missed('window', added);
      if (added.length > 0 || ids.size !== window.ids.size) contradictions.windowChanged(window);
      const notFollowed = rows.filter(({ id }) => !followed.has(id) && !missedByCursor.has(id));
      if (notFollowed.length > 0)
        contradictions.missed(
          'cursor',
          notFollowed.map(({ id }) => id),
        );
      for (const { id, discoveredAtMs } of notFollowed) missedByCursor.set(id, discoveredAtMs);
      confirm(rows.flatMap(({ sentAtMs }) => (sentAtMs === null ? [] : [sentAtMs])));
      window.ids = ids;
      window.repeats += 1;
      const ageMs = repeatAgesMs[window.repeats];
      if (ageMs === undefined) windows = windows.filter((one) => one !== window);
      else window.repeatAtMs = window.toMs + ageMs;
    },
  };
}
