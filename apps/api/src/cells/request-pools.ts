import type { CellUrls } from '@tenantscope/runtime';
import { openReadModels, type ReadModels, verifyCell } from '@tenantscope/store/read';
import type { ApiConfig } from '../config.ts';
import { connectionsPerDocument, documentQueryTimeoutMs, reservedConnections } from '../limits.ts';
import type { ApiMetrics } from '../metrics.ts';
import { type ConcurrencyLimiter, type ConcurrencyObserver, refusalReasons } from '../throttling/concurrency-limit.ts';
import { type Contention, createContention } from '../throttling/contention.ts';
import { createDocumentLimiter } from '../throttling/document-limiter.ts';
import { createReadLimiter } from '../throttling/read-limiter.ts';
import { createStatementPacing } from '../throttling/statement-pacing.ts';

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

export interface RequestPoolOptions {
  readonly cell: Pick<CellUrls, 'name' | 'database' | 'variables'>;
  readonly config: ApiConfig;
  readonly metrics: ApiMetrics;
  /** Whether the process itself is too busy. */
  readonly overloaded: () => boolean;
}

/** Opens the pools of a cell without a connection. */
export function openRequestPools({ cell, config, metrics, overloaded }: RequestPoolOptions): RequestPools {
  const contention = createContention(config.TENANTSCOPE_CONTENDED_SHARE);
  const pacing = createStatementPacing(contention);
  const open = (name: string, connections: number, own: { queryTimeoutMs?: number } = {}) =>
    openReadModels(cell.database, {
      name,
      ...own,
      variable: cell.variables.database,
      maxConnections: connections + reservedConnections,
      verify: (client) => verifyCell(client, cell.name),
    });
  const models = open('tenantscope api', config.TENANTSCOPE_READ_CONCURRENCY);
  const documentModels = open(
    'tenantscope api documents',
    config.TENANTSCOPE_DOCUMENT_CONCURRENCY * connectionsPerDocument,
    { queryTimeoutMs: documentQueryTimeoutMs },
  );
  const readLimiter = createReadLimiter(config.TENANTSCOPE_READ_CONCURRENCY, {
    overloaded,
    contention,
    pacing,
    observer: observePool(metrics, { cell: cell.name, pool: 'reads' }),
  });
  const documentLimiter = createDocumentLimiter(
    {
      total: config.TENANTSCOPE_DOCUMENT_CONCURRENCY,
      perTenant: config.TENANTSCOPE_DOCUMENTS_PER_TENANT,
      perOrganization: config.TENANTSCOPE_DOCUMENTS_PER_ORGANIZATION,
      queueTimeoutMs: config.TENANTSCOPE_DOCUMENT_QUEUE_MS,
    },
    { overloaded, contention, pacing, observer: observePool(metrics, { cell: cell.name, pool: 'documents' }) },
  );
  return {
    models,
    readLimiter,
    documentModels,
    documentLimiter,
    contention,
    measure() {
      metrics.saturated.set({ cell: cell.name }, contention.isSaturated() ? 1 : 0);
      for (const [pool, { running, waiting }] of Object.entries({ reads: readLimiter, documents: documentLimiter })) {
        metrics.poolRunning.set({ cell: cell.name, pool }, running);
        metrics.poolQueueDepth.set({ cell: cell.name, pool }, waiting);
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([models, documentModels].map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

function observePool(
  metrics: ApiMetrics,
  labels: { readonly cell: string; readonly pool: string },
): ConcurrencyObserver {
  for (const reason of refusalReasons) metrics.poolRefused.inc({ ...labels, reason }, 0);
  return {
    admitted: (waitedMs) => metrics.poolWait.observe(labels, waitedMs / 1_000),
    refused: (reason) => metrics.poolRefused.inc({ ...labels, reason }),
  };
}
