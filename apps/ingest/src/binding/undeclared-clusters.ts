import { type Ledger, readSourceBindings, recordBindingChecks, unbindLanes } from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';
import { findUnboundTopics, isReadHere } from './unbound-topics.ts';

const intervalMs = 5_000;

export interface UndeclaredClusterOptions {
  readonly control: Ledger;
  readonly models: Ledger;
  readonly cell: string;
  /** The names of the clusters that this process reads. */
  readonly clusters: ReadonlySet<string>;
  readonly metrics: IngestMetrics;
}

/** Reports bindings of clusters that no variable declares, every five seconds, and marks the lanes of those that were removed. */
export function watchUndeclaredClusters({
  control,
  models,
  cell,
  clusters,
  metrics,
}: UndeclaredClusterOptions): Disposable {
  const check = async () => {
    const undeclared = (await readSourceBindings(control, cell)).filter(({ cluster }) => !clusters.has(cluster));
    const active = undeclared.filter(isReadHere);
    await recordBindingChecks(
      control,
      active.map(({ id, cluster }) => ({ id, problem: describeUndeclared(cluster) })),
    );
    for (const [cluster, bindings] of Map.groupBy(undeclared, (binding) => binding.cluster))
      await unbindLanes(models, cluster, findUnboundTopics(bindings));
  };
  const timer = setInterval(() => {
    check().catch((error: unknown) => metrics.recordRetry(error, intervalMs));
  }, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

const describeUndeclared = (cluster: string): string =>
  `the Kafka cluster ${cluster} is not declared; name it in TENANTSCOPE_KAFKA_CLUSTERS of ingest, with its variables, and start ingest again`;
