import { hostname } from 'node:os';
import type { Log } from '@tenantscope/runtime';
import { type LaneIdentity, type Ledger, recordLaneReaders } from '@tenantscope/store/ingest';

const intervalMs = 10_000;
const worker = `${hostname()}/${process.pid}`;

/** A lane that this process reads. */
interface ReportedLane extends LaneIdentity {
  readonly topic: string;
  readonly ledger: Ledger;
  readonly assignedAtMs: number;
}

interface ReporterOptions {
  lanes(): readonly ReportedLane[];
  /** Requested from the broker and not taken from batches: nothing is fetched of a stalled lane. */
  endOffsets(topic: string): Promise<ReadonlyMap<number, bigint>>;
  readonly log: Log;
}

/** Records every ten seconds which lanes this process reads and where the broker's log of each ends. Ingestion does not wait for it. */
export function reportLaneReaders({ lanes, endOffsets, log }: ReporterOptions): Disposable {
  let isReporting = false;
  const report = async () => {
    const reported = lanes().filter(({ ledger }) => ledger.schema === 'models');
    await Promise.all(
      [...Map.groupBy(reported, ({ topic }) => topic)].map(async ([topic, group]) => {
        const ends = await endOffsets(topic);
        const readers = group.flatMap(({ clusterId, topicId, partition, assignedAtMs }) => {
          const endOffset = ends.get(partition);
          return endOffset === undefined ? [] : [{ clusterId, topicId, partition, assignedAtMs, endOffset }];
        });
        const [first] = group;
        if (first) await recordLaneReaders(first.ledger, worker, readers);
      }),
    );
  };
  const timer = setInterval(() => {
    if (isReporting) return;
    isReporting = true;
    report()
      .catch((error: unknown) => log.debug({ err: error }, 'cannot report lane readers; retrying in 10 s'))
      .finally(() => {
        isReporting = false;
      });
  }, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
