import { connectKeyDirectory, type KeyDirectory } from '@tenantscope/store/api-key';
import { type ReadModels, type Watermark, watchWatermark } from '@tenantscope/store/read';
import type { ApiConfig } from './config.ts';
import { keysConnections, watermarkIntervalMs } from './limits.ts';
import type { ApiMetrics } from './metrics.ts';
import { openReplica, type Replica } from './replicas/replica.ts';
import { connectRequestPools, type RequestPools } from './request-pools.ts';
import { openStandbys, type Standbys } from './standbys.ts';

export interface Databases {
  readonly pools: RequestPools;
  readonly keys: KeyDirectory;
  /** The primary and the standbys that bound the watermark now: the API is ready while all respond. */
  nodes(): ReturnType<ReadModels['pools']>;
  readonly standbys: Standbys;
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
  const standbys = stack.use(openStandbys(config));
  const keys = stack.use(
    await connectKeyDirectory(config.TENANTSCOPE_KEYS_DATABASE_URL, {
      name: 'tenantscope api keys',
      maxConnections: keysConnections,
      variable: 'TENANTSCOPE_KEYS_DATABASE_URL',
    }),
  );
  const { addRoundTrip } = pools.contention;
  const nodes = [pools.models, ...standbys.models].flatMap((node) => node.pools());
  // Saturation is measured where requests are read.
  const isReplicated = config.TENANTSCOPE_POSTGRES_READ_URLS.length > 0;
  const watermark = stack.use(
    await watchWatermark(nodes, {
      intervalMs: watermarkIntervalMs,
      standbyNames: standbys.names,
      onRoundTrip: isReplicated ? () => {} : addRoundTrip,
    }),
  );
  const replicas = await Promise.all(
    config.TENANTSCOPE_POSTGRES_READ_URLS.map(async (url) =>
      stack.use(
        await openReplica(url, {
          config,
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
  return { pools, keys, nodes: boundingNodes, standbys, watermark, replicas };
}
