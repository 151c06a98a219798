import type { Log } from '@tenantscope/runtime';
import {
  type Leaves,
  type Ledger,
  openEpoch,
  settledFeeds,
  sourcesBeside,
  tickLanes,
  type Watermark,
} from '@tenantscope/store';
import type { FeedMinutes } from './feed-minutes.ts';
import type { Observations } from './observations.ts';

const busyTickMs = 100;
const idleTickMs = 1_000;
const leavesIntervalMs = 60_000;
const silentMs = 3_000;

export interface UpkeepParts {
  ledgers: readonly Ledger[];
  leaves: Leaves;
  watermark: Watermark;
  observed: Observations;
  minutes: FeedMinutes;
  log: Log;
}

export interface Upkeep extends AsyncDisposable {
  /** Null: lanes tick. Else why not. */
  trouble(): string | null;
}

/**
 * Keeps time moving, whether Kafka answers or not: ticks the lanes, opens the epoch of a promoted server, keeps partitions ahead.
 * Runs in every ingest process; any number of them share the work by skipping locked lanes.
 */
export function startUpkeep({ ledgers, leaves, watermark, observed, minutes, log }: UpkeepParts): Upkeep {
  let stopped = false;
  let tickedAtMs = performance.now();
  let wake = () => {};
  const pause = (durationMs: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, durationMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const failing = sayOnce(log);

  const tick = async () => {
    let busy: string[] = [];
    let allTickedAtMs = Number.NEGATIVE_INFINITY;
    while (!stopped) {
      try {
        // Between the ticks of all lanes only feeds that are being written tick: a tick writes to the log of the database for every lane.
        const all = performance.now() - allTickedAtMs >= idleTickMs;
        if (all) allTickedAtMs = performance.now();
        const written: string[] = [];
        for (const ledger of ledgers) {
          if (all && (await openEpoch(ledger)))
            log.info(
              { schema: ledger.schema },
              'an epoch begins; after a promotion lanes are lifted above all that was served',
            );
          if (!all && ledger.schema !== 'models') continue;
          const found = await tickLanes(ledger, all ? null : busy);
          if (ledger.schema === 'models') minutes.see(found);
          written.push(...found.filter(({ isWritten }) => isWritten).map(({ source }) => source));
        }
        busy = sourcesBeside(written);
        for (const feed of settledFeeds) {
          const settled = watermark.settled(feed);
          if (settled) observed.settledLag(feed, settled.databaseNowMs - settled.throughMs);
        }
        tickedAtMs = performance.now();
        failing(null);
      } catch (error) {
        failing(error);
      }
      await pause(busy.length > 0 ? busyTickMs : idleTickMs);
    }
  };
  const keep = setInterval(() => {
    leaves.read().then(
      () => observed.partitionsAhead(leaves.aheadDays),
      (error: unknown) => log.warn({ err: error }, 'partitions could not be kept; trying again in a minute'),
    );
  }, leavesIntervalMs);
  observed.partitionsAhead(leaves.aheadDays);
  const ticking = tick();
  const trouble = () => {
    const silence = performance.now() - tickedAtMs;
    return silence < silentMs ? null : `the database has not answered for ${Math.round(silence / 1_000)} s`;
  };
  return {
    trouble,
    async [Symbol.asyncDispose]() {
      stopped = true;
      clearInterval(keep);
      wake();
      await ticking;
      if (trouble() === null) await minutes.put();
    },
  };
}

/** A failure that lasts is one line at its beginning and one at its end. */
function sayOnce(log: Log): (error: unknown) => void {
  let failing = false;
  return (error) => {
    if (error !== null && !failing) log.warn({ err: error }, 'lanes cannot be ticked');
    if (error === null && failing) log.info('lanes tick again');
    failing = error !== null;
  };
}
