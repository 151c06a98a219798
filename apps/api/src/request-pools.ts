import { connectReadModels, type ReadModels } from '@tenantscope/store/read';
import type { ApiConfig } from './config.ts';
import { reservedConnections } from './limits.ts';
import type { ApiMetrics } from './metrics.ts';
import { type ConcurrencyLimiter, type ConcurrencyObserver, refusalReasons } from './throttling/concurrency-limit.ts';
import { type Contention, createContention } from './throttling/contention.ts';
import { createDocumentLimiter } from './throttling/document-limiter.ts';
import { watchEventLoopDelay } from './throttling/event-loop-delay.ts';
import { createReadLimiter } from './throttling/read-limiter.ts';
import { createStatementPacing } from './throttling/statement-pacing.ts';

/** Pages and documents have connections and queues of their own: documents, which run for seconds, never delay a page. */
export interface RequestPools extends AsyncDisposable {
  readonly models: ReadModels;
  readonly readLimiter: ConcurrencyLimiter;
  readonly documentModels: ReadModels;
  readonly documentLimiter: ConcurrencyLimiter;
  /** Of both pools. */
  readonly contention: Contention;
  /** Updates the gauges. */
  measure(): void;
}

/** Throws StoreUnavailable if the database is unreachable. */
export async function connectRequestPools(config: ApiConfig, metrics: ApiMetrics): Promise<RequestPools> {
  await using stack = new AsyncDisposableStack();
  const loopDelay = stack.use(watchEventLoopDelay());
  const overloaded = () => loopDelay.overloaded();
  const contention = createContention(config.TENANTSCOPE_CONTENDED_SHARE);
  const pacing = createStatementPacing(contention);
  const connect = async (name: string, concurrency: number) =>
    stack.use(
      await connectReadModels(config.TENANTSCOPE_API_DATABASE_URL, {
        name,
        variable: 'TENANTSCOPE_API_DATABASE_URL',
        maxConnections: concurrency + reservedConnections,
      }),
    );
  const models = await connect('tenantscope api', config.TENANTSCOPE_READ_CONCURRENCY);
  const documentModels = await connect('tenantscope api documents', config.TENANTSCOPE_DOCUMENT_CONCURRENCY);
  const readLimiter = createReadLimiter(config.TENANTSCOPE_READ_CONCURRENCY, {
    overloaded,
    contention,
    pacing,
    observer: observePool(metrics, 'reads'),
  });
  const documentLimiter = createDocumentLimiter(
    {
      total: config.TENANTSCOPE_DOCUMENT_CONCURRENCY,
      perTenant: config.TENANTSCOPE_DOCUMENTS_PER_TENANT,
      perOrganization: config.TENANTSCOPE_DOCUMENTS_PER_ORGANIZATION,
      queueTimeoutMs: config.TENANTSCOPE_DOCUMENT_QUEUE_MS,
    },
    { overloaded, contention, pacing, observer: observePool(metrics, 'documents') },
  );
  const all = stack.move();
  return {
    models,
    readLimiter,
    documentModels,
    documentLimiter,
    contention,
    measure() {
      metrics.saturated.set(contention.isSaturated() ? 1 : 0);
      for (const [pool, { running, waiting }] of Object.entries({ reads: readLimiter, documents: documentLimiter })) {
        metrics.poolRunning.set({ pool }, running);
        metrics.poolQueueDepth.set({ pool }, waiting);
      }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function observePool(metrics: ApiMetrics, pool: string): ConcurrencyObserver {
  for (const reason of refusalReasons) metrics.poolRefused.inc({ pool, reason }, 0);
  return {
    admitted: (waitedMs) => metrics.poolWait.observe({ pool }, waitedMs / 1_000),
    refused: (reason) => metrics.poolRefused.inc({ pool, reason }),
  };
}
