import { connectKeyDirectory, type KeyDirectory } from '@tenantscope/store/api-key';
import { connectReadModels, type ReadModels, type Watermark, watchWatermark } from '@tenantscope/store/read';
import type { ApiConfig } from './config.ts';
import { keysConnections, watermarkIntervalMs } from './limits.ts';
import type { ApiMetrics } from './metrics.ts';
import { openReplica, type Replica } from './replicas/replica.ts';
import { connectRequestPools, type RequestPools } from './request-pools.ts';

export interface Databases {
  readonly pools: RequestPools;
  readonly keys: KeyDirectory;
  /** The primary and the standbys that may be promoted: the API is ready while all respond. */
  readonly nodes: ReturnType<ReadModels['pools']>;
  /** Of the primary. */
  readonly watermark: Watermark;
  readonly replicas: readonly Replica[];
}

/** Connects to every database of the configuration. Throws StoreUnavailable if one is unreachable; a replica may be. */
export async function connectDatabases(
  config: ApiConfig,
  metrics: ApiMetrics,
  stack: AsyncDisposableStack,
): Promise<Databases> {
  const pools = stack.use(await connectRequestPools(config, metrics));
  const standbys = await Promise.all(
    config.TENANTSCOPE_STANDBY_DATABASE_URLS.map(async (url) =>
      stack.use(
        await connectReadModels(url, {
          name: 'tenantscope api',
          maxConnections: 1,
          variable: 'TENANTSCOPE_STANDBY_DATABASE_URLS',
        }),
      ),
    ),
  );
  const keys = stack.use(
    await connectKeyDirectory(config.TENANTSCOPE_KEYS_DATABASE_URL, {
      name: 'tenantscope api keys',
      maxConnections: keysConnections,
      variable: 'TENANTSCOPE_KEYS_DATABASE_URL',
    }),
  );
  const { addRoundTrip } = pools.contention;
  const replicas = await Promise.all(
    config.TENANTSCOPE_POSTGRES_READ_URLS.map(async (url) =>
      stack.use(await openReplica(url, { config, primary: pools.models, standbys, onRoundTrip: addRoundTrip })),
    ),
  );
  const nodes = [pools.models, ...standbys].flatMap((node) => node.pools());
  // Saturation is measured where requests are read.
  const onRoundTrip = replicas.length === 0 ? addRoundTrip : () => {};
  const watermark = stack.use(await watchWatermark(nodes, { intervalMs: watermarkIntervalMs, onRoundTrip }));
  return { pools, keys, nodes, watermark, replicas };
}
