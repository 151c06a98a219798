import type { CanaryClient, LogPage } from './canary-client.ts';
import type { CanaryMetrics } from './canary-metrics.ts';
import type { CanaryRow, Comparison } from './comparison.ts';

export interface PollerOptions {
  readonly client: CanaryClient;
  readonly comparison: Comparison;
  readonly metrics: Pick<CanaryMetrics, 'rows' | 'visible'>;
  /** When this process sent the record with this id; null for any other record. */
  readonly readSentAt: (externalEventId: string | null) => number | null;
  readonly windowMs: number;
}

/** One step of each poller. A step that throws may be repeated. */
export interface Pollers {
  /** Whether a record that is sent now will be in a window. */
  isStarted(): boolean;
  follow(): Promise<void>;
  readWindow(): Promise<void>;
  repeatWindow(): Promise<void>;
}

type Parameters = Readonly<Record<string, string>>;
type OwnRow = CanaryRow & { readonly sentAtMs: number | null };

const pageLimit = '1000';
const ascending = { sort: 'discoveredAtAsc' };

export function createPollers({ client, comparison, metrics, readSentAt, windowMs }: PollerOptions): Pollers {
  let windowFromMs: number | null = null;
  let next: Parameters | null = null;

  const readRow = ({ id, discoveredAt, externalEventId }: LogPage['data'][number]): OwnRow => ({
    id,
    discoveredAtMs: Date.parse(discoveredAt),
    sentAtMs: readSentAt(externalEventId),
  });
  /** Null while the api that responds has not reached the end of the window. */
  const readRows = async (fromMs: number, toMs: number): Promise<OwnRow[] | null> => {
    const range = { discoveredFrom: new Date(fromMs).toISOString(), discoveredTo: new Date(toMs).toISOString() };
    const rows: OwnRow[] = [];
    let parameters: Parameters | null = { ...ascending, limit: pageLimit, ...range };
    while (parameters !== null) {
      const { data, pagination }: LogPage = await client.readLogs(parameters);
      rows.push(...data.map(readRow));
      const { nextCursor, completeThrough } = pagination;
      if (completeThrough === null || Date.parse(completeThrough) < toMs) return null;
      parameters = nextCursor === null ? null : { cursor: nextCursor };
    }
    return rows;
  };
  return {
    isStarted: () => next !== null,
    async follow() {
      if (next === null) {
        const { completeThrough } = (await client.readLogs({ ...ascending, limit: '1' })).pagination;
        if (completeThrough === null) return;
        windowFromMs = Date.parse(completeThrough);
        next = { ...ascending, limit: pageLimit, discoveredFrom: completeThrough };
      }
      for (let hasMore = true; hasMore; ) {
        const { data, pagination }: LogPage = await client.readLogs(next);
        const { completeThrough, resumeCursor } = pagination;
        hasMore = pagination.hasMore;
        next = { cursor: resumeCursor };
        const rows = data.map(readRow);
        comparison.follow(rows, hasMore || completeThrough === null ? null : Date.parse(completeThrough));
        metrics.rows.inc(rows.length);
        for (const { sentAtMs } of rows)
          if (sentAtMs !== null) metrics.visible.observe((Date.now() - sentAtMs) / 1_000);
      }
    },
    async readWindow() {
      const toMs = comparison.followedThroughMs();
      if (windowFromMs === null || toMs === null || toMs - windowFromMs < windowMs) return;
      const rows = await readRows(windowFromMs, toMs);
      if (rows === null) return;
      comparison.addWindow(windowFromMs, toMs, rows);
      windowFromMs = toMs;
    },
    async repeatWindow() {
      const window = comparison.findDueWindow();
      const rows = window && (await readRows(window.fromMs, window.toMs));
      if (window && rows) comparison.repeatWindow(window, rows);
    },
  };
}
