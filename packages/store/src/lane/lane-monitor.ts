import type { Ledger } from '../ingest/lane/lane.ts';
import { type LogEnd, type MeasuredLane, readDueLanes, recordLogEnds } from './lane-log.ts';
import { type LaneStatus, readLaneStatuses } from './lane-status.ts';

const intervalMs = 5_000;

/** Reads from Kafka where logs end; null for a lane whose log could not be read. */
export type ReadLogEnds = (lanes: readonly MeasuredLane[]) => Promise<readonly (LogEnd | null)[]>;

export interface LaneMonitorOptions {
  readonly ledgers: readonly Ledger[];
  /** By the configured name of each Kafka cluster. */
  readonly clusters: ReadonlyMap<string, ReadLogEnds>;
  /** Called every five seconds with the state of every lane, or null when the database could not be read. */
  observed(statuses: readonly LaneStatus[] | null): void;
  failed(message: string, error: unknown): void;
}

/**
 * Measures every five seconds where the logs of all lanes end, whichever process reads them, and reads the state of all lanes. Runs in every ingest and jobs
 * process, so that a lane whose reader hangs is still measured. Each cluster is measured on its own: one that is down delays no other.
 */
export function startLaneMonitor({ ledgers, clusters, observed, failed }: LaneMonitorOptions): AsyncDisposable {
  const stop = Promise.withResolvers<void>();
  let stopped = false;

  const measure = async (cluster: string, readLogEnds: ReadLogEnds, ledger: Ledger) => {
    const lanes = await readDueLanes(ledger, cluster);
    if (lanes.length === 0) return;
    const ends = await readLogEnds(lanes);
    const read = lanes.flatMap((lane, index) => {
      const end = ends[index];
      return end ? [{ lane, end }] : [];
    });
    await recordLogEnds(ledger, read);
  };
  const measureCluster = async (cluster: string, readLogEnds: ReadLogEnds) => {
    for (const ledger of ledgers)
      await measure(cluster, readLogEnds, ledger).catch((error: unknown) =>
        failed(`measuring lanes of the cluster ${cluster} failed; retrying in 5 s`, error),
      );
  };
  const observe = async () => {
    try {
      observed((await Promise.all(ledgers.map(readLaneStatuses))).flat());
    } catch (error) {
      failed('reading the state of lanes failed; retrying in 5 s', error);
      observed(null);
    }
  };
  const repeat = async (pass: () => Promise<void>) => {
    while (!stopped) {
      await pass();
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([stop.promise, new Promise((resolve) => (timer = setTimeout(resolve, intervalMs)))]);
      clearTimeout(timer);
    }
  };
  const running = Promise.all([
    repeat(observe),
    ...[...clusters].map(([cluster, readLogEnds]) => repeat(() => measureCluster(cluster, readLogEnds))),
  ]);
  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      stop.resolve();
      await running;
    },
  };
}
