import { type CellUrls, defaultCell, readCells } from '@tenantscope/runtime';
import { connectKeyDirectory, type KeyDirectory } from '@tenantscope/store/api-key';
import { assertLeastPrivilege } from '@tenantscope/store/connection';
import { type ReadModels, type Watermark, watchWatermark } from '@tenantscope/store/read';
import type { ApiConfig } from '../config.ts';
import { keysConnections, watermarkIntervalMs } from '../limits.ts';
import type { ApiMetrics } from '../metrics.ts';
import { openReplica, type Replica } from '../replicas/replica.ts';
import { watchEventLoopDelay } from '../throttling/event-loop-delay.ts';
import { openRequestPools, type RequestPoolOptions, type RequestPools } from './request-pools.ts';
import { openStandbys, type Standbys } from './standbys.ts';

/** What the requests of the tenants of a cell are read from. */
export interface CellDatabases {
  readonly name: string;
  readonly pools: RequestPools;
  /** The primary and the standbys that bound the watermark now: the cell is available while all respond. */
  nodes(): ReturnType<ReadModels['pools']>;
  readonly standbys: Standbys;
  /** Of the primary. */
  readonly watermark: Watermark;
  readonly replicas: readonly Replica[];
}

export interface Databases {
  readonly keys: KeyDirectory;
  /** First that of the cell default. */
  readonly cells: readonly CellDatabases[];
}

/**
 * Opens every database of the configuration. Throws StoreUnavailable if the control database is unreachable, or that of the only cell. Of several
 * cells each may be down; so may a replica.
 */
export async function connectDatabases(
  config: ApiConfig,
  metrics: ApiMetrics,
  stack: AsyncDisposableStack,
): Promise<Databases> {
  const loopDelay = stack.use(watchEventLoopDelay());
  const urls = [readDefaultCell(config), ...readCells(config, config.TENANTSCOPE_API_DATABASE_URL)];
  const cells = await Promise.all(
    urls.map((cell) => openCell(cell, { config, metrics, overloaded: () => loopDelay.overloaded() }, stack)),
  );
  const [only] = cells;
  if (only && cells.length === 1) await Promise.all(only.pools.models.pools().map(assertLeastPrivilege));
  const keys = stack.use(
    await connectKeyDirectory(config.TENANTSCOPE_KEYS_DATABASE_URL, {
      name: 'tenantscope api keys',
      maxConnections: keysConnections,
      variable: 'TENANTSCOPE_KEYS_DATABASE_URL',
    }),
  );
  return { keys, cells };
}

const readDefaultCell = (config: ApiConfig): CellUrls => ({
  name: defaultCell,
  variables: {
    database: 'TENANTSCOPE_API_DATABASE_URL',
    standbys: 'TENANTSCOPE_STANDBY_DATABASE_URLS',
    standbyNames: 'TENANTSCOPE_STANDBY_NAMES',
    replicas: 'TENANTSCOPE_POSTGRES_READ_URLS',
  },
  database: config.TENANTSCOPE_API_DATABASE_URL,
  standbys: config.TENANTSCOPE_STANDBY_DATABASE_URLS,
  standbyNames: config.TENANTSCOPE_STANDBY_NAMES,
  replicas: config.TENANTSCOPE_POSTGRES_READ_URLS,
});

async function openCell(
  cell: CellUrls,
  options: Omit<RequestPoolOptions, 'cell'>,
  stack: AsyncDisposableStack,
): Promise<CellDatabases> {
  const pools = stack.use(openRequestPools({ ...options, cell }));
  const standbys = stack.use(openStandbys(cell));
  const { addRoundTrip } = pools.contention;
  const nodes = [pools.models, ...standbys.models].flatMap((node) => node.pools());
  const watermark = stack.use(
    await watchWatermark(nodes, {
      intervalMs: watermarkIntervalMs,
      standbyNames: standbys.names,
      // Saturation is measured where requests are read.
      onRoundTrip: cell.replicas.length > 0 ? () => {} : addRoundTrip,
    }),
  );
  const replicas = await Promise.all(
    cell.replicas.map(async (url) =>
      stack.use(
        await openReplica(url, {
          variable: cell.variables.replicas,
          config: options.config,
          primary: pools.models,
          standbys,
          awaited: watermark.awaited,
          onRoundTrip: addRoundTrip,
        }),
      ),
    ),
  );
  const boundingNodes = () => {
    const { standbys: states } = watermark.bounds();
    return nodes.filter((_, index) => index === 0 || states[index - 1]?.isBounding);
  };
  return { name: cell.name, pools, nodes: boundingNodes, standbys, watermark, replicas };
}
