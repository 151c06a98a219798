import { hostname } from 'node:os';
import type { Log } from '@tenantscope/runtime';
import { recordLaneReaders } from '@tenantscope/store/ingest';
import type { AssignedLane } from './assigned-lane.ts';

const intervalMs = 5_000;
const worker = `${hostname()}/${process.pid}`;

/** Records every five seconds which lanes this process reads. Ingestion does not wait for it. */
export function reportLaneReaders(lanes: () => readonly AssignedLane[], log: Log): Disposable {
  let isReporting = false;
  const report = async () => {
    const byLedger = Map.groupBy(lanes(), ({ topic }) => topic.ledger);
    for (const [ledger, assigned] of byLedger)
      await recordLaneReaders(
        ledger,
        worker,
        assigned.map(({ position, assignedAtMs }) => ({ ...position, assignedAtMs })),
      );
  };
  const timer = setInterval(() => {
    if (isReporting) return;
    isReporting = true;
    report()
      .catch((error: unknown) => log.debug({ err: error }, 'cannot report lane readers; retrying in 5 s'))
      .finally(() => {
        isReporting = false;
      });
  }, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
