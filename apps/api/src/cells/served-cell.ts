import type { Log } from '@tenantscope/runtime';
import { type FailoverState, StoreUnavailable, withConnection } from '@tenantscope/store/connection';
import { readNewestStamps, type TenantFeed } from '@tenantscope/store/read';
import type { DocumentDependencies } from '../documents/document-dependencies.ts';
import { silentMaxMs } from '../limits.ts';
import type { ApiMetrics } from '../metrics.ts';
import { createHandlers } from '../operation-handlers.ts';
import { createTailWaits } from '../records/tail-waits.ts';
import { createReplicaRouting } from '../replicas/replica-routing.ts';
import type { ServedCell } from './cell-routing.ts';
import type { CellDatabases } from './databases.ts';
import { createProtectionReport } from './standbys.ts';

const noOpenEpoch =
  'the database was promoted or restored: ingest opens its epoch after a promotion, "tenantscope restore finish" after a restore';

export interface RunningCell extends ServedCell {
  readonly name: string;
  /** Rejects while one of its nodes does not respond. */
  ping(): Promise<unknown>;
  /** Why nothing of its database is served, by the polls of its watermark; null while it is. */
  problem(): string | null;
  /** Updates the gauges. */
  measure(): void;
  readFailover(): FailoverState | null;
  stopWaits(): void;
}

/** What all cells of a process share: documents are cached by tenant, and cursors are valid in every cell. */
type SharedDependencies = Pick<
  DocumentDependencies,
  'statusCache' | 'statusMaxAgeMs' | 'cursors' | 'readSigning' | 'findTimeZone'
>;

export function serveCell(
  cell: CellDatabases,
  shared: SharedDependencies,
  { metrics, log }: { readonly metrics: ApiMetrics; readonly log: Pick<Log, 'info' | 'warn'> },
  stack: AsyncDisposableStack,
): RunningCell {
  const { name, pools, watermark, replicas } = cell;
  const sources = { ...pools, ...shared };
  const routing = createReplicaRouting(
    { watermark, handlers: createHandlers({ ...sources, watermark }) },
    replicas.map((replica) => ({ ...replica, handlers: createHandlers({ ...sources, ...replica }) })),
    { cell: name, metrics, log },
  );
  const readNewest = (of: readonly TenantFeed[]) => readNewestStamps(pools.models, of);
  const tailWaits = stack.use(
    createTailWaits({ watermark: routing.watermark, readNewest, hasLeft: watermark.hasLeft }),
  );
  /** The cell of a tenant changes after its last row was copied; the watermark says so with its next poll. */
  const waitForArrival = async (tenantId: string) => {
    await watermark.refresh();
    if (watermark.isArriving(tenantId)) throw new StoreUnavailable(`the tenant ${tenantId} is being moved to ${name}`);
  };
  const protection = createProtectionReport(cell, { metrics, log });
  const findProblem = () => {
    const isSilent = (watermark.silentMs() ?? Number.POSITIVE_INFINITY) >= silentMaxMs;
    if (isSilent) return watermark.problem() ?? 'the database does not respond';
    return watermark.hasOpenEpoch() ? null : noOpenEpoch;
  };
  let logged: string | null = null;
  return {
    name,
    handlers: routing.handlers,
    tailWaits,
    waitForArrival: (tenantId) => (watermark.isArriving(tenantId) ? waitForArrival(tenantId) : null),
    ping: () => Promise.all(cell.nodes().map((node) => withConnection(node, (client) => client.query('select 1')))),
    problem: findProblem,
    measure() {
      const settled = watermark.settled('logs');
      if (settled)
        metrics.settledLag.set({ cell: name, feed: 'logs' }, (settled.databaseNowMs - settled.throughMs) / 1000);
      pools.measure();
      routing.measure();
      protection.measure();
      const problem = findProblem();
      metrics.cellAvailable.set({ cell: name }, problem === null ? 1 : 0);
      if (problem === logged) return;
      logged = problem;
      if (problem === null) log.info({ cell: name }, 'cell available again');
      else log.warn({ cell: name, problem }, 'cell unavailable; its tenants get 503 until the database responds');
    },
    readFailover: protection.read,
    stopWaits: tailWaits.stop,
  };
}

/** Of all cells, for operators; null where none has standbys. */
export function readFailover(cells: readonly RunningCell[]): FailoverState | null {
  const states = cells.flatMap((cell) => {
    const state = cell.readFailover();
    return state === null ? [] : [{ ...state, prefix: cells.length === 1 ? '' : `cell ${cell.name}: ` }];
  });
  if (states.length === 0) return null;
  const join = (member: 'problem' | 'waitsFor') =>
    states.flatMap((state) => (state[member] === null ? [] : `${state.prefix}${state[member]}`)).join('; ') || null;
  return {
    // Of the cell default, if it has standbys; each cell has its own.
    epoch: states[0]?.epoch ?? null,
    problem: join('problem'),
    waitsFor: join('waitsFor'),
    standbys: states.flatMap(({ standbys, prefix }) =>
      standbys.map((standby) => ({ ...standby, name: `${prefix}${standby.name}` })),
    ),
  };
}
