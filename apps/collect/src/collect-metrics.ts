import type { Metrics } from '@tenantscope/runtime';
import type { RunOutcome } from './collection/stream-run.ts';

export interface CollectMetrics {
  recordRun(provider: string, outcome: RunOutcome, records: number): void;
}

export function createCollectMetrics(metrics: Metrics): CollectMetrics {
  const runs = metrics.counter('collect_runs_total', 'Runs of streams, by how they ended.', ['provider', 'outcome']);
  const published = metrics.counter('collect_records_total', 'Records that Kafka acknowledged.', ['provider']);
  return {
    recordRun(provider, outcome, records) {
      runs.inc({ provider, outcome: outcome.kind === 'failed' ? outcome.failure.kind : outcome.kind });
      published.inc({ provider }, records);
    },
  };
}
