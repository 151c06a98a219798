import { type LogsPage, type ReadModels, readLogsPage, type Watermark } from '@tenantscope/store/read';

export interface Window {
  fromMs: number;
  toMs: number;
  ids: string[];
}

/** The results of two pollers: one reads adjacent closed windows up to now, one follows a cursor. */
export interface Polled {
  windows: Window[];
  followed: string[];
}

export interface StoreReading {
  models: ReadModels;
  watermark: Watermark;
  tenantId: string;
  /** False: windows up to now are read without waiting, and a cursor is followed through all visible rows. */
  gated: boolean;
}

const pollIntervalMs = 50;
const longestWaitMs = 2_000;
const pageRows = 200;

/** Polls every 50 ms until `running` is false, then a last time. */
export async function pollStore(reading: StoreReading, running: () => boolean): Promise<Polled> {
  const polled: Polled = { windows: [], followed: [] };
  const startMs = Date.now() - 1_000;
  await Promise.all([pollWindows(reading, running, startMs, polled), followCursor(reading, running, startMs, polled)]);
  return polled;
}

/** Each window starts at the end of the previous one. Both ends are included, so a row on the edge is read twice. */
async function pollWindows(
  reading: StoreReading,
  running: () => boolean,
  startMs: number,
  polled: Polled,
): Promise<void> {
  let fromMs = startMs;
  for (let last = false; !last; ) {
    last = !running();
    const toMs = Date.now();
    // The wait rule: a window that ends after the watermark waits; if it is still not settled, it is requested again.
    if (!reading.gated || (await reading.watermark.waitUntilSettled('logs', toMs, longestWaitMs))) {
      const ids = await readAll(reading, { fromMs, toMs, after: null });
      polled.windows.push({ fromMs, toMs, ids: ids.map(({ id }) => id) });
      fromMs = toMs;
    } else last = false;
    await sleep(pollIntervalMs);
  }
}

async function followCursor(
  reading: StoreReading,
  running: () => boolean,
  startMs: number,
  polled: Polled,
): Promise<void> {
  let after: Position | null = null;
  for (let last = false; !last; ) {
    last = !running();
    if (last && reading.gated) await reading.watermark.waitUntilSettled('logs', Date.now(), 10 * longestWaitMs);
    const toMs = reading.gated ? (reading.watermark.settled('logs')?.throughMs ?? startMs) : Date.now() + longestWaitMs;
    const rows: Position[] = await readAll(reading, { fromMs: startMs, toMs, after });
    polled.followed.push(...rows.map(({ id }) => id));
    after = rows.at(-1) ?? after;
    await sleep(pollIntervalMs);
  }
}

interface Position {
  atMs: number;
  id: string;
}

async function readAll(
  { models, tenantId }: StoreReading,
  range: { fromMs: number; toMs: number; after: Position | null },
): Promise<Position[]> {
  const rows: Position[] = [];
  for (let after = range.after, more = true; more; ) {
    const page: LogsPage = await readLogsPage(models, {
      tenantId,
      sort: 'discoveredAtAsc',
      discovered: { fromMs: range.fromMs, toMs: range.toMs },
      occurred: { fromMs: null, toMs: null },
      filters: {},
      after,
      limit: pageRows,
      timeoutMs: 5_000,
    });
    const { data } = JSON.parse(page.close('}').toString()) as { data: { id: string; discoveredAt: string }[] };
    rows.push(...data.map(({ id, discoveredAt }) => ({ id, atMs: Date.parse(discoveredAt) })));
    after = page.last;
    more = page.hasMore;
  }
  return rows;
}

interface StoredRow {
  readonly id: string;
  readonly atMs: number;
}

/** The rows that the pollers missed, and the served windows whose content has changed since. `stored` is in the order of `discovered_at, id`. */
export function comparePolled(
  polled: Polled,
  stored: readonly StoredRow[],
): {
  missedInWindows: number;
  missedByCursor: number;
  readTwiceByCursor: number;
  changedWindows: number;
} {
  const windows = compareWindows(polled.windows, stored);
  const followed = compareFollowed(polled.followed, stored);
  return {
    missedInWindows: windows.missed,
    missedByCursor: followed.missed,
    readTwiceByCursor: followed.readTwice,
    changedWindows: windows.changed,
  };
}

/** Of windows whose ends touch: rows in none of them, and windows that now have other rows. */
export function compareWindows(windows: readonly Window[], stored: readonly StoredRow[]) {
  const ids = new Set(windows.flatMap((window) => window.ids));
  const changed = windows.filter(({ fromMs, toMs, ids }) => {
    const now = stored.slice(countBefore(stored, fromMs), countBefore(stored, toMs + 1));
    return now.length !== ids.length || now.some(({ id }, index) => id !== ids[index]);
  });
  return { missed: stored.filter(({ id }) => !ids.has(id)).length, changed: changed.length };
}

/** Of rows that were read one after the other. */
export function compareFollowed(followed: readonly string[], stored: readonly StoredRow[]) {
  const ids = new Set(followed);
  return { missed: stored.filter(({ id }) => !ids.has(id)).length, readTwice: followed.length - ids.size };
}

/** By binary search: hours of polling are 20,000 windows over a million rows. */
function countBefore(stored: readonly StoredRow[], atMs: number): number {
  let [low, high] = [0, stored.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stored[middle] as StoredRow).atMs < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function sleep(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
