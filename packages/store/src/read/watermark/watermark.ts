import { setTimeout as sleep } from 'node:timers/promises';
import { type FeedName, listFeedTopics } from '@tenantscope/contract';
import type pg from 'pg';
import { withConnection } from '../../connection/pool.ts';
import { isSuperseded, mergeReadings, type NodeReading, readNode } from './node-reading.ts';
import {
  describeBounds,
  readAwaited,
  readThrough,
  type StandbyOptions,
  type WatermarkBounds,
} from './watermark-bounds.ts';

export interface Settled {
  /** Epoch ms: at or before this instant the feed cannot gain a row any more. */
  throughMs: number;
  /** Epoch ms of the database's clock, now. */
  databaseNowMs: number;
}

export interface FeedHistory {
  /** Epoch ms at which the kept rows begin. */
  retainedFromMs: number;
  /** Epoch ms before which rows existed and were dropped by age; null while nothing was dropped. */
  droppedBeforeMs: number | null;
  /** For how many days rows are stored. */
  retentionDays: number;
}

export interface Watermark extends AsyncDisposable {
  /** Null while it cannot be proven: no lane is known yet, or a node of the list never answered. */
  settled(feed: FeedName): Settled | null;
  /** The same for a tenant: of one that leaves the cell, no later than its last row here can be. */
  settledFor(feed: FeedName, tenantId: string): Settled | null;
  /** Whether rows of the tenant were being copied here when the server was read last: not all of them are here. */
  isArriving(tenantId: string): boolean;
  /** Whether rows of the tenant were written to another cell, or about to be, when the server was read last. */
  hasLeft(tenantId: string): boolean;
  /** Of a feed, for a tenant: one with a shorter retention of its own has a later beginning. */
  history(feed: FeedName, tenantId: string): FeedHistory | null;
  /**
   * Epoch ms of the oldest record in Kafka that is known not to be read by a lane of the feed; null while none is known. Where no process has measured
   * a lane's log for 30 s, anything written since the last measurement may be unread: then its time, if that is older.
   */
  unreadSince(feed: FeedName): number | null;
  /** Start of the server that rows are read from, in epoch ms, when its lanes were read last; null before. */
  serverStartedMs(): number | null;
  /** Since when the server that rows are read from did not respond, in ms; null: it never has. */
  silentMs(): number | null;
  /** Why the last poll of that server failed; null: it did not. */
  problem(): string | null;
  /** False where that server responds and serves nothing: from a promotion or a restore until its epoch is open. */
  hasOpenEpoch(): boolean;
  /** What bounds the watermark, for operators. */
  bounds(): WatermarkBounds;
  /** The standbys that commits of the primary wait for, lower-case; null where they are not known or were read more than a second ago. */
  awaited(): ReadonlySet<string> | null;
  /** Waits until the feed is settled through `atMs`; false when that took longer than `timeoutMs`. */
  waitUntilSettled(feed: FeedName, atMs: number, timeoutMs: number): Promise<boolean>;
  /** Polls all nodes now, in addition to the regular polls. */
  refresh(): Promise<void>;
}

export interface WatermarkOptions extends StandbyOptions {
  readonly intervalMs: number;
  /** Called with the ms that each poll of the first node took. */
  onRoundTrip?(ms: number): void;
}

/** What changes slowly is not part of the watermark's own statement, which runs many times a second: with it that took three times as long. */
const slowIntervalMs = 1_000;
/**
 * Watches how far the feeds are settled. What is served is the minimum over the node that rows are read from (the first pool) and every
 * standby that may be promoted; a node that does not answer keeps its last value, which is safe since a watermark only grows.
 * With names, a standby may be promoted while commits wait for it: the manager withdraws it before the primary stops waiting, and elects it only when it
 * has what was committed before. Nothing is served of a server while another one has a newer epoch.
 * Rows are read after the watermark, from the first node, so an answer holds all it promises.
 */
export async function watchWatermark(nodes: readonly pg.Pool[], options: WatermarkOptions): Promise<Watermark> {
  const readings: (NodeReading | null)[] = nodes.map(() => null);
  let history: RetainedHistory | null = null;
  let unreadSinceMs: ReadonlyMap<string, number> = new Map();
  let slowReadAtMs = Number.NEGATIVE_INFINITY;
  let waiters: { feed: FeedName; atMs: number; wake: (reached: boolean) => void }[] = [];
  let problem: string | null = null;
  let stopped = false;

  const settled = (feed: FeedName): Settled | null => {
    const throughMs = readThrough(readings, options, feed);
    const own = readings[0];
    // Without the history, rows that are being deleted would be served.
    if (!own || Number.isNaN(throughMs) || history === null || isSuperseded(own, readings)) return null;
    return { throughMs, databaseNowMs: own.clockMs + (performance.now() - own.readAtMs) };
  };

  const settledFor = (feed: FeedName, tenantId: string): Settled | null => {
    const now = settled(feed);
    const { servedThroughMs = null } = readings[0]?.moves.tenants.get(tenantId) ?? {};
    if (now === null || servedThroughMs === null || now.throughMs <= servedThroughMs) return now;
    return { ...now, throughMs: servedThroughMs };
  };

  const wakeReached = () => {
    waiters = waiters.filter((waiter) => {
      const now = settled(waiter.feed);
      if (!now || now.throughMs < waiter.atMs) return true;
      waiter.wake(true);
      return false;
    });
  };

  const readSlowFacts = async () => {
    if (!nodes[0] || performance.now() - slowReadAtMs < slowIntervalMs) return;
    slowReadAtMs = performance.now();
    [history, unreadSinceMs] = await Promise.all([readHistory(nodes[0]), readUnreadSince(nodes[0])]);
  };

  const readOne = async (node: pg.Pool, index: number) => {
    const startedMs = performance.now();
    const reading = await readNode(node, readings[index]?.moves ?? null).catch((error: unknown) => {
      if (index === 0) problem = (error as Error).message;
      throw error;
    });
    readings[index] = mergeReadings(readings[index] ?? null, reading, index === 0);
    if (index === 0) problem = null;
    if (index === 0) options.onRoundTrip?.(performance.now() - startedMs);
    wakeReached();
  };
  const refresh = async () => void (await Promise.allSettled([...nodes.map(readOne), readSlowFacts()]));

  // Each on its own: a node that hangs delays no other.
  const repeat = async (read: () => Promise<void>) => {
    while (!stopped) {
      await Promise.all([read().catch(() => {}), sleep(options.intervalMs)]);
    }
  };
  await refresh();
  const polling = Promise.all([
    ...nodes.map((node, index) => repeat(() => readOne(node, index))),
    repeat(readSlowFacts),
  ]);

  return {
    settled,
    settledFor,
    isArriving: (tenantId) => readings[0]?.moves.tenants.get(tenantId)?.isArriving === true,
    hasLeft: (tenantId) => readings[0]?.moves.tenants.get(tenantId)?.isArriving === false,
    history: (_feed, tenantId) => (history === null ? null : findHistory(history, tenantId)),
    unreadSince: (feed) => {
      const times = listFeedTopics(feed).flatMap((source) => unreadSinceMs.get(source) ?? []);
      return times.length === 0 ? null : Math.min(...times);
    },
    serverStartedMs: () => readings[0]?.serverStartedMs ?? null,
    silentMs: () => (readings[0] ? performance.now() - readings[0].readAtMs : null),
    problem: () => problem,
    hasOpenEpoch: () => readings[0]?.hasOpenEpoch !== false,
    awaited: () => readAwaited(readings[0] ?? null),
    bounds: () => describeBounds(readings, options),
    refresh,
    waitUntilSettled: (feed, atMs, timeoutMs) =>
      new Promise((resolve) => {
        const now = settled(feed);
        if (now && now.throughMs >= atMs) return resolve(true);
        const waiter = { feed, atMs, wake: resolve };
        waiters.push(waiter);
        setTimeout(() => {
          waiters = waiters.filter((other) => other !== waiter);
          resolve(false);
        }, timeoutMs);
      }),
    async [Symbol.asyncDispose]() {
      stopped = true;
      await polling;
    },
  };
}

/** By source, in epoch ms: the oldest unread record, or the last measurement of a log that was not measured for 30 s. */
async function readUnreadSince(node: pg.Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await withConnection(node, (client) =>
    client.query<{ source: string; unread_ms: number }>({
      name: 'unread',
      text: `select source, (extract(epoch from min(least(case when next_offset <= unread_offset then unread_since end,
                                                           case when measured_at < clock_timestamp() - interval '30 s' then measured_at end))) * 1000)::float8 as unread_ms
               from models.ingest_lane join models.lane_log using (cluster_id, topic_id, partition)
              where unbound_at is null and (next_offset <= unread_offset or measured_at < clock_timestamp() - interval '30 s') group by source`,
    }),
  );
  return new Map(rows.map((row) => [row.source, row.unread_ms]));
}

/** What is stored of the log. */
interface RetainedHistory {
  /** Null while there is no partition. */
  readonly installation: FeedHistory | null;
  /** Of tenants with a retention of their own. */
  readonly tenants: ReadonlyMap<
    string,
    { readonly retentionDays: number | null; readonly droppedBeforeMs: number | null }
  >;
}

function findHistory({ installation, tenants }: RetainedHistory, tenantId: string): FeedHistory | null {
  const own = tenants.get(tenantId);
  if (installation === null || own === undefined) return installation;
  const { retainedFromMs, droppedBeforeMs, retentionDays } = installation;
  const ownMs = own.droppedBeforeMs ?? Number.NEGATIVE_INFINITY;
  return {
    retainedFromMs: Math.max(retainedFromMs, ownMs),
    droppedBeforeMs: own.droppedBeforeMs === null ? droppedBeforeMs : Math.max(droppedBeforeMs ?? ownMs, ownMs),
    retentionDays: Math.min(retentionDays, own.retentionDays ?? retentionDays),
  };
}

async function readHistory(node: pg.Pool): Promise<RetainedHistory> {
  return withConnection(node, async (client) => {
    const { rows: tenants } = await client.query<{
      id: string;
      retention_days: number | null;
      dropped_before_ms: number | null;
    }>({
      name: 'tenant-history',
      text: `select tenant_id as id, retention_days, (extract(epoch from dropped_before) * 1000)::float8 as dropped_before_ms
               from models.list_tenant_retention()`,
    });
    return {
      installation: await readInstallationHistory(client),
      tenants: new Map(
        tenants.map((row) => [row.id, { retentionDays: row.retention_days, droppedBeforeMs: row.dropped_before_ms }]),
      ),
    };
  });
}

async function readInstallationHistory(client: pg.ClientBase): Promise<FeedHistory | null> {
  const { rows } = await client.query<{
    retained_from_ms: number | null;
    dropped_before_ms: number | null;
    retention_days: number;
  }>({
    name: 'history',
    text: `select (extract(epoch from (select min(from_at) from models.audit_log_partition)) * 1000)::float8 as retained_from_ms,
                  (extract(epoch from dropped_before) * 1000)::float8 as dropped_before_ms, retention_days
             from models.retention where feed = 'logs'`,
  });
  const row = rows[0];
  return row?.retained_from_ms == null
    ? null
    : {
        retainedFromMs: row.retained_from_ms,
        droppedBeforeMs: row.dropped_before_ms,
        retentionDays: row.retention_days,
      };
}
