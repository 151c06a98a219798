import { hostname } from 'node:os';
import type { Log } from '@tenantscope/runtime';
import { type LaneIdentity, type Ledger, noteReaders } from '@tenantscope/store';

const intervalMs = 10_000;
const worker = `${hostname()}/${process.pid}`;

/** A lane that this process reads. */
interface ToldLane extends LaneIdentity {
  readonly topic: string;
  readonly ledger: Ledger;
  readonly sinceMs: number;
}

interface Parts {
  lanes(): readonly ToldLane[];
  /** Asked of the broker and not taken from batches: nothing is fetched of a lane that stands still. */
  endOffsets(topic: string): Promise<ReadonlyMap<number, bigint>>;
  readonly log: Log;
}

/** Tells every ten seconds which lanes are read here and where the broker's log of each ends. Beside the reading: nothing waits for it. */
export function tellOfLanes({ lanes, endOffsets, log }: Parts): Disposable {
  let telling = false;
  const tell = async () => {
    const told = lanes().filter(({ ledger }) => ledger.schema === 'models');
    await Promise.all(
      [...Map.groupBy(told, ({ topic }) => topic)].map(async ([topic, some]) => {
        const ends = await endOffsets(topic);
        const known = some.flatMap(({ clusterId, topicId, partition, sinceMs }) => {
          const endOffset = ends.get(partition);
          return endOffset === undefined ? [] : [{ clusterId, topicId, partition, sinceMs, endOffset }];
        });
        const [first] = some;
        if (first) await noteReaders(first.ledger, worker, known);
      }),
    );
  };
  const timer = setInterval(() => {
    if (telling) return;
    telling = true;
    tell()
      .catch((error: unknown) => log.debug({ err: error }, 'where lanes end cannot be told'))
      .finally(() => {
        telling = false;
      });
  }, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
