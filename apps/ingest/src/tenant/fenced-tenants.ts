import { type Log, runPeriodically } from '@tenantscope/runtime';
import { type Ledger, readFencedTenants } from '@tenantscope/store/ingest';
import type { IngestMetrics } from '../ingest-metrics.ts';

const pauseMs = 5_000;
/** A completed move fences a tenant for less: docs/adr/0022-tenant-move.md has the measurements. */
const loggedAfterSeconds = 60;
const logIntervalMs = 600_000;

export interface FencedTenantsOptions {
  readonly control: Ledger;
  readonly models: Ledger;
  readonly cell: string;
  readonly metrics: Pick<IngestMetrics, 'setFencedTenants'>;
  readonly log: Log;
}

/** Reports the tenants of the cell that get no new rows because their moves were interrupted. Runs in every ingest process of the cell. */
export function watchFencedTenants({ control, models, cell, metrics, log }: FencedTenantsOptions): AsyncDisposable {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  const read = async () => {
    const fenced = await readFencedTenants({ control: control.pool, models: models.pool }, cell);
    const oldestSeconds = Math.max(0, ...fenced.map(({ seconds }) => seconds));
    metrics.setFencedTenants({ count: fenced.length, oldestSeconds });
    if (oldestSeconds < loggedAfterSeconds || performance.now() - loggedAtMs < logIntervalMs) return;
    loggedAtMs = performance.now();
    const tenantIds = fenced.filter(({ seconds }) => seconds >= loggedAfterSeconds).map(({ tenantId }) => tenantId);
    log.warn({ tenantIds }, 'tenants are fenced by an interrupted move; run "tenantscope tenant move" again');
  };
  return runPeriodically(pauseMs, () =>
    read().catch((error: unknown) => log.debug({ err: error }, 'reading fenced tenants failed; retrying in 5 s')),
  );
}
