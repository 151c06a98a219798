import type { Ledger } from '../ingest/lane.ts';
import { type LogEnd, type MeasuredLane, readDueLanes, recordLogEnds } from './lane-log.ts';
import { type LaneStatus, readLaneStatuses } from './lane-status.ts';

const intervalMs = 5_000;

export interface LaneMonitorOptions {
  readonly ledgers: readonly Ledger[];
  /** Reads from Kafka where logs end; null for a lane whose log could not be read. */
  readLogEnds(lanes: readonly MeasuredLane[]): Promise<readonly (LogEnd | null)[]>;
  /** Called after every pass, with the state of every lane, or null when the database could not be read. */
  observed(statuses: readonly LaneStatus[] | null): void;
  failed(message: string, error: unknown): void;
}

/**
 * Measures every five seconds where the logs of all lanes end, whichever process reads them, and reads the state of all lanes. Runs in every ingest and jobs
 * process, so that a lane whose reader hangs is still measured.
 */
export function startLaneMonitor(options: LaneMonitorOptions): AsyncDisposable {
  const { ledgers, readLogEnds, observed, failed } = options;
  const stop = Promise.withResolvers<void>();
  let stopped = false;

  const measure = async (ledger: Ledger) => {
    const lanes = await readDueLanes(ledger);
    if (lanes.length === 0) return;
    const ends = await readLogEnds(lanes);
    const read = lanes.flatMap((lane, index) => {
      const end = ends[index];
      return end ? [{ lane, end }] : [];
    });
    await recordLogEnds(ledger, read);
  };
  const pass = async () => {
    for (const ledger of ledgers)
      await measure(ledger).catch((error: unknown) => failed('measuring lanes failed; retrying in 5 s', error));
    try {
      observed((await Promise.all(ledgers.map(readLaneStatuses))).flat());
    } catch (error) {
      failed('reading the state of lanes failed; retrying in 5 s', error);
      observed(null);
    }
  };
  const running = (async () => {
    while (!stopped) {
      await pass();
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([stop.promise, new Promise((resolve) => (timer = setTimeout(resolve, intervalMs)))]);
      clearTimeout(timer);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      stop.resolve();
      await running;
    },
  };
}
