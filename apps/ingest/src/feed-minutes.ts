import { topicName, topics } from '@tenantscope/contract';
import type { Log } from '@tenantscope/runtime';
import {
  dropOldMinutes,
  type FeedSample,
  feedOfSource,
  type Ledger,
  lagOfFeeds,
  noteMinute,
  type SettledFeed,
  type TickedSource,
} from '@tenantscope/store';
import type { Observations } from './observations.ts';

const putIntervalMs = 10_000;
const dropIntervalMs = 3_600_000;

/** How far behind feeds were and how many rows were written, for people to look at later. */
export interface FeedMinutes {
  /** Takes in how the ticker found the sources, and puts it down every ten seconds, beside the ticking. */
  see(found: readonly TickedSource[]): void;
  put(): Promise<void>;
}

interface Parts {
  readonly models: Ledger;
  readonly prefix: string;
  readonly observed: Pick<Observations, 'takeWritten'>;
  readonly log: Log;
}

/** What cannot be put down is kept and added to what comes; nobody waits for it. */
export function feedMinutes({ models, prefix, observed, log }: Parts): FeedMinutes {
  const feedOfTopic = new Map(
    Object.values(topics).map((topic) => [topicName(prefix, topic), feedOfSource(topic.suffix)]),
  );
  let lags = new Map<SettledFeed, number>();
  let rows = new Map<SettledFeed, number>();
  // The first sample is put down at once: it tells how far behind the feeds were found.
  let putAtMs = Number.NEGATIVE_INFINITY;
  let droppedAtMs = Number.NEGATIVE_INFINITY;
  let putting: Promise<void> | null = null;

  const addRows = (feed: SettledFeed | null, count: number) => {
    if (feed !== null && count > 0) rows.set(feed, (rows.get(feed) ?? 0) + count);
  };
  const addLags = (seen: ReadonlyMap<SettledFeed, number>) => {
    for (const [feed, lagMs] of seen) lags.set(feed, Math.max(lags.get(feed) ?? 0, lagMs));
  };
  const putDown = async () => {
    const written = observed.takeWritten();
    for (const [topic, count] of written.rows) addRows(feedOfTopic.get(topic) ?? null, count);
    addRows('securityAlerts', written.alerts);
    const [lagsNow, rowsNow] = [lags, rows];
    [lags, rows] = [new Map(), new Map()];
    const feeds = [...new Set([...lagsNow.keys(), ...rowsNow.keys()])];
    try {
      await noteMinute(
        models,
        feeds.map((feed): FeedSample => ({ feed, lagMs: lagsNow.get(feed) ?? 0, rows: rowsNow.get(feed) ?? 0 })),
      );
    } catch (error) {
      addLags(lagsNow);
      for (const [feed, count] of rowsNow) addRows(feed, count);
      log.debug({ err: error }, 'how far behind feeds are cannot be put down; it is kept');
    }
  };
  const drop = () => {
    if (performance.now() - droppedAtMs < dropIntervalMs) return;
    droppedAtMs = performance.now();
    dropOldMinutes(models).catch((error: unknown) => log.debug({ err: error }, 'old minutes stay for another hour'));
  };
  const put = async () => {
    putting ??= putDown().finally(() => {
      putting = null;
    });
    await putting;
  };
  return {
    put,
    see(found) {
      const lagged = found.flatMap(({ source, lagMs }) => (lagMs === null ? [] : [[source, lagMs] as const]));
      if (lagged.length > 0) addLags(lagOfFeeds(new Map(lagged)));
      if (performance.now() - putAtMs < putIntervalMs) return;
      putAtMs = performance.now();
      void put();
      drop();
    },
  };
}
