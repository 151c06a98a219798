import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { evidenceKeysPath } from '@tenantscope/contract';
import {
  createMetrics,
  describeRedisError,
  followSecret,
  type Log,
  logSecretChange,
  readRedisConnection,
  serveHealth,
} from '@tenantscope/runtime';
import { registerProcess } from '@tenantscope/store/connection';
import { buildApp } from './app.ts';
import { createFailedLoginLimit } from './auth/failed-login-limit.ts';
import { createKeyUsageCounter } from './auth/key-usage.ts';
import { guardKeyDirectory } from './auth/unknown-keys.ts';
import { createCellRouting } from './cells/cell-routing.ts';
import { connectDatabases } from './cells/databases.ts';
import { readFailover, serveCell } from './cells/served-cell.ts';
import { type ApiConfig, apiConfig } from './config.ts';
import { createSigningKeyReader } from './documents/signing-keys.ts';
import { createStatusCache } from './documents/status-cache.ts';
import { type ApiMetrics, registerMetrics } from './metrics.ts';
import { createCursorCodec } from './records/cursor.ts';
import { createRateLimiter } from './throttling/rate-limiter.ts';

const redisWarningIntervalMs = 60_000;

export interface Api extends AsyncDisposable {
  readonly port: number;
  readonly healthPort: number;
}

/**
 * Starts the API; resolves when it listens. Disposing stops it gracefully: /readyz fails, requests are served for the drain time, then every
 * response closes its connection, then the other resources close. Throws StoreUnavailable if a database is unreachable.
 */
export async function startApi(config: ApiConfig, log: Log): Promise<Api> {
  const stack = new AsyncDisposableStack();
  try {
    return await startComponents(config, log, stack);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function startComponents(config: ApiConfig, log: Log, stack: AsyncDisposableStack): Promise<Api> {
  const onSecretChange = logSecretChange(log);
  const readEvidenceKeys = createSigningKeyReader(config, onSecretChange);
  const keysUrl = config.TENANTSCOPE_PUBLIC_URL + evidenceKeysPath;
  const readSigning = async () => {
    const { signing } = await readEvidenceKeys();
    return signing && { key: signing, keysUrl };
  };
  const redis = readRedisConnection(config);
  const processMetrics = createMetrics('api');
  const metrics = registerMetrics(processMetrics);
  metrics.signingKeyConfigured.set((await readSigning()) ? 1 : 0);
  const { keys, cells } = await connectDatabases(config, metrics, stack);
  const rateLimiter = stack.use(createRateLimiter(redis, createRedisWarning(log)));
  const keyUsage = stack.use(createKeyUsageCounter(keys, log));
  const statuses = openStatusCache(config, metrics);
  const cursors = openCursorCodec(config, onSecretChange);
  const serving = cells.map((cell) =>
    serveCell(cell, { ...statuses, cursors, readSigning, findTimeZone: keys.findTimeZone }, { metrics, log }, stack),
  );
  const routing = createCellRouting(new Map(serving.map((cell) => [cell.name, cell])));

  const app = buildApp({
    publicUrl: config.TENANTSCOPE_PUBLIC_URL,
    trustedProxies: config.TENANTSCOPE_TRUSTED_PROXIES,
    allowedMcpOrigins: config.TENANTSCOPE_MCP_ORIGINS,
    readPublishedKeys: async () => (await readEvidenceKeys()).published,
    log,
    logsAccess: config.TENANTSCOPE_ACCESS_LOG === 'on',
    keys: guardKeyDirectory(keys),
    ...routing,
    rateLimiter,
    failedLogins: createFailedLoginLimit(),
    keyUsage,
    metrics,
  });
  let stopping = false;
  const measure = () => {
    metrics.limiterDegraded.set(rateLimiter.degraded() ? 1 : 0);
    metrics.limiterInstances.set(rateLimiter.instances());
    for (const cell of serving) cell.measure();
  };
  const measuring = setInterval(measure, 1_000);
  stack.defer(() => clearInterval(measuring));

  const health = stack.use(
    await serveHealth({
      host: config.TENANTSCOPE_HOST,
      port: config.TENANTSCOPE_HEALTH_PORT,
      live: () => true,
      async ready() {
        if (stopping) return 'stopping';
        await keys.ping();
        // A cell that does not respond must not keep requests of the others from this process.
        await Promise.any(serving.map(({ ping }) => ping())).catch((error: AggregateError) => {
          throw error.errors[0];
        });
        return true;
      },
      details: () => ({
        unavailableCells: Object.fromEntries(
          serving.flatMap((cell) => {
            const problem = cell.problem();
            return problem === null ? [] : [[cell.name, problem]];
          }),
        ),
      }),
      metrics: processMetrics,
    }),
  );
  await app.fastify.listen({
    host: config.TENANTSCOPE_HOST,
    port: config.TENANTSCOPE_PORT,
    listenTextResolver: (address) => `listening on ${address}; health on port ${health.port}`,
  });
  const { port } = app.fastify.server.address() as AddressInfo;
  stack.defer(() => app.fastify.close());
  stack.use(
    registerProcess({
      app: 'api',
      url: config.TENANTSCOPE_KEYS_DATABASE_URL,
      variable: 'TENANTSCOPE_KEYS_DATABASE_URL',
      failover: () => readFailover(serving),
      failed: (message, error) => log.warn({ err: error }, message),
    }),
  );
  return {
    port,
    healthPort: health.port,
    async [Symbol.asyncDispose]() {
      stopping = true;
      for (const cell of serving) cell.stopWaits();
      await sleep(config.TENANTSCOPE_DRAIN_MS);
      app.drain();
      await stack.disposeAsync();
    },
  };
}

function openStatusCache(config: ApiConfig, metrics: ApiMetrics) {
  const statusMaxAgeMs = config.TENANTSCOPE_STATUS_MAX_AGE_SECONDS * 1_000;
  const statusCache = createStatusCache({
    maxAgeMs: statusMaxAgeMs,
    maxBytes: config.TENANTSCOPE_STATUS_CACHE_MIB * 1_048_576,
    onLookup: (result) => metrics.statusCache.inc({ result }),
  });
  return { statusCache, statusMaxAgeMs };
}

function openCursorCodec(config: ApiConfig, onChange: ReturnType<typeof logSecretChange>) {
  return createCursorCodec(
    followSecret({
      variable: 'TENANTSCOPE_CURSOR_SECRETS',
      schema: apiConfig.shape.TENANTSCOPE_CURSOR_SECRETS,
      valueAtStart: config.TENANTSCOPE_CURSOR_SECRETS,
      onChange,
    }),
  );
}

/** Logs at most one warning a minute: a client without its server reports several errors a second. */
function createRedisWarning(log: Log): (error: unknown) => void {
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - warnedAtMs < redisWarningIntervalMs) return;
    warnedAtMs = performance.now();
    log.warn({ reason: describeRedisError(error) }, 'Redis failed in the rate limiter');
  };
}
