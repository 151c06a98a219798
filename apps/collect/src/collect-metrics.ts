import type { Metrics } from '@tenantscope/runtime';
import type { RunOutcome, RunSummary } from './collection/stream-run.ts';
import { failureKinds } from './provider/provider-failure.ts';

const outcomes = ['completed', 'interrupted', 'inactive', 'lost', ...failureKinds] as const;

export interface CollectMetrics {
  recordRun(provider: string, run: Pick<RunSummary, 'outcome' | 'records' | 'gaps'>): void;
}

/** Every provider has all series from the start, so that its first failure is an increase. */
export function createCollectMetrics(metrics: Metrics, providers: readonly string[]): CollectMetrics {
  const runs = metrics.counter('tenantscope_collect_runs_total', 'Runs of streams, by how they ended.', [
    'provider',
    'outcome',
  ]);
  const published = metrics.counter('tenantscope_collect_records_total', 'Records that Kafka acknowledged.', [
    'provider',
  ]);
  const gaps = metrics.counter(
    'tenantscope_collect_gaps_total',
    'Gaps in what providers returned: times that they no longer retain, and records that are too long.',
    ['provider'],
  );
  for (const provider of providers) {
    for (const outcome of outcomes) runs.inc({ provider, outcome }, 0);
    published.inc({ provider }, 0);
    gaps.inc({ provider }, 0);
  }
  return {
    recordRun(provider, run) {
      runs.inc({ provider, outcome: nameOutcome(run.outcome) });
      published.inc({ provider }, run.records);
      gaps.inc({ provider }, run.gaps);
    },
  };
}

const nameOutcome = (outcome: RunOutcome): (typeof outcomes)[number] =>
  outcome.kind === 'failed' ? outcome.failure.kind : outcome.kind;
