import { type Log, runPeriodically } from '@tenantscope/runtime';
import { countPendingDeadLetters, type Ledger, sumDeadLetterCounts } from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';

const pauseMs = 30_000;

export interface PendingCountOptions {
  readonly ledgers: readonly Ledger[];
  readonly metrics: Pick<IngestMetrics, 'setPendingDeadLetters'>;
  readonly log: Log;
}

/** Sums the counts of dead letters and reports the undecided ones, every 30 s. Runs in every ingest process, which all report the same. */
export function startPendingCount({ ledgers, metrics, log }: PendingCountOptions): AsyncDisposable {
  const count = async () => {
    const counts = new Map<string, number>();
    for (const ledger of ledgers) {
      await sumDeadLetterCounts(ledger);
      for (const [reason, pending] of await countPendingDeadLetters(ledger))
        counts.set(reason, (counts.get(reason) ?? 0) + pending);
    }
    metrics.setPendingDeadLetters(counts);
  };
  return runPeriodically(pauseMs, () =>
    count().catch((error: unknown) =>
      log.debug({ err: error }, 'counting pending dead letters failed; retrying in 30 s'),
    ),
  );
}
