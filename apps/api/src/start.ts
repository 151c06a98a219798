import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { evidenceKeysPath } from '@tenantscope/contract';
import {
  createMetrics,
  describeRedisError,
  followSecret,
  type Log,
  readRedisConnection,
  serveHealth,
} from '@tenantscope/runtime';
import { registerProcess, withConnection } from '@tenantscope/store/connection';
import { readNewestStamps, type TenantFeed } from '@tenantscope/store/read';
import { buildApp } from './app.ts';
import { createFailedLoginLimit } from './auth/failed-login-limit.ts';
import { createKeyUsageCounter } from './auth/key-usage.ts';
import { guardKeyDirectory } from './auth/unknown-keys.ts';
import { type ApiConfig, apiConfig } from './config.ts';
import { connectDatabases } from './databases.ts';
import { createSigningKeyReader } from './documents/signing-keys.ts';
import { createStatusCache } from './documents/status-cache.ts';
import { type ApiMetrics, registerMetrics } from './metrics.ts';
import { createHandlers } from './operation-handlers.ts';
import { createCursorCodec } from './records/cursor.ts';
import { createTailWaits } from './records/tail-waits.ts';
import { createReplicaRouting } from './replicas/replica-routing.ts';
import { createProtectionReport } from './standbys.ts';
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
  const reportSecret = createSecretReport(log);
  const readEvidenceKeys = createSigningKeyReader(config, reportSecret);
  const keysUrl = config.TENANTSCOPE_PUBLIC_URL + evidenceKeysPath;
  const readSigning = async () => {
    const { signing } = await readEvidenceKeys();
    return signing && { key: signing, keysUrl };
  };
  const redis = readRedisConnection(config);
  const processMetrics = createMetrics('api');
  const metrics = registerMetrics(processMetrics);
  metrics.signingKeyConfigured.set((await readSigning()) ? 1 : 0);
  const { pools, keys, nodes, standbys, watermark, replicas } = await connectDatabases(config, metrics, stack);
  const readNewest = (of: readonly TenantFeed[]) => readNewestStamps(pools.models, of);
  const rateLimiter = stack.use(createRateLimiter(redis, createRedisWarning(log)));
  const keyUsage = stack.use(createKeyUsageCounter(keys, log));
  const statuses = openStatusCache(config, metrics);
  const cursors = openCursorCodec(config, reportSecret);
  const sources = { ...pools, ...statuses, cursors, readSigning };
  const routing = createReplicaRouting(
    { watermark, handlers: createHandlers({ ...sources, watermark }) },
    replicas.map((replica) => ({ ...replica, handlers: createHandlers({ ...sources, ...replica }) })),
    { metrics, log },
  );
  const tailWaits = stack.use(createTailWaits({ watermark: routing.watermark, readNewest }));

  const app = buildApp({
    publicUrl: config.TENANTSCOPE_PUBLIC_URL,
    trustedProxies: config.TENANTSCOPE_TRUSTED_PROXIES,
    allowedMcpOrigins: config.TENANTSCOPE_MCP_ORIGINS,
    readPublishedKeys: async () => (await readEvidenceKeys()).published,
    log,
    logsAccess: config.TENANTSCOPE_ACCESS_LOG === 'on',
    keys: guardKeyDirectory(keys),
    handlers: routing.handlers,
    rateLimiter,
    tailWaits,
    failedLogins: createFailedLoginLimit(),
    keyUsage,
    metrics,
  });
  let stopping = false;
  const protection = createProtectionReport(standbys, watermark, { metrics, log });
  const measure = () => {
    const settled = watermark.settled('logs');
    if (settled) metrics.settledLag.set({ feed: 'logs' }, (settled.databaseNowMs - settled.throughMs) / 1000);
    metrics.limiterDegraded.set(rateLimiter.degraded() ? 1 : 0);
    metrics.limiterInstances.set(rateLimiter.instances());
    pools.measure();
    routing.measure();
    protection.measure();
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
        await Promise.all([
          keys.ping(),
          ...nodes().map((node) => withConnection(node, (client) => client.query('select 1'))),
        ]);
        return true;
      },
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
      failover: protection.read,
      failed: (message, error) => log.warn({ err: error }, message),
    }),
  );
  return {
    port,
    healthPort: health.port,
    async [Symbol.asyncDispose]() {
      stopping = true;
      tailWaits.stop();
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

function openCursorCodec(config: ApiConfig, onChange: ReturnType<typeof createSecretReport>) {
  return createCursorCodec(
    followSecret({
      variable: 'TENANTSCOPE_CURSOR_SECRETS',
      schema: apiConfig.shape.TENANTSCOPE_CURSOR_SECRETS,
      valueAtStart: config.TENANTSCOPE_CURSOR_SECRETS,
      onChange,
    }),
  );
}

function createSecretReport(log: Log): (variable: string, problem: string | null) => void {
  return (variable, problem) => {
    if (problem === null) log.info({ variable }, 'secret changed; using the new value');
    else log.error({ variable, problem }, 'changed secret is invalid; using the previous value');
  };
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
