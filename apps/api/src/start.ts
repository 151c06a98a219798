import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { evidenceKeysPath } from '@tenantscope/contract';
import { createMetrics, type Log, serveHealth } from '@tenantscope/runtime';
import { connectKeyDirectory } from '@tenantscope/store/api-key';
import { withConnection } from '@tenantscope/store/connection';
import { connectReadModels, watchWatermark } from '@tenantscope/store/read';
import { buildApp } from './app.ts';
import { createFailedLoginLimit } from './auth/failed-login-limit.ts';
import { createKeyUsageCounter } from './auth/key-usage.ts';
import type { ApiConfig } from './config.ts';
import { readSigningKeys } from './documents/signing-keys.ts';
import {
  concurrentPacks,
  keysConnections,
  packQueueTimeoutMs,
  packsPerKey,
  queuedPacksPerKey,
  readModelConnections,
  watermarkIntervalMs,
} from './limits.ts';
import { registerMetrics } from './metrics.ts';
import { createHandlers } from './operation-handlers.ts';
import { createCursorCodec } from './records/cursor.ts';
import { createConcurrencyLimiter } from './throttling/concurrency-limit.ts';
import { watchEventLoopDelay } from './throttling/event-loop-delay.ts';
import { createRateLimiter } from './throttling/rate-limiter.ts';

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
  const evidenceKeys = await readSigningKeys(config);
  const keysUrl = config.TENANTSCOPE_PUBLIC_URL + evidenceKeysPath;
  const signing = evidenceKeys.signing && { key: evidenceKeys.signing, keysUrl };
  const connections = { name: 'tenantscope api', maxConnections: readModelConnections };
  const models = stack.use(await connectReadModels(config.TENANTSCOPE_API_DATABASE_URL, connections));
  const standbys = await Promise.all(
    config.TENANTSCOPE_STANDBY_DATABASE_URLS.map(async (url) =>
      stack.use(await connectReadModels(url, { ...connections, maxConnections: 1 })),
    ),
  );
  const keys = stack.use(
    await connectKeyDirectory(config.TENANTSCOPE_KEYS_DATABASE_URL, {
      name: 'tenantscope api keys',
      maxConnections: keysConnections,
    }),
  );
  const nodes = [models, ...standbys].flatMap((node) => node.pools());
  const watermark = stack.use(await watchWatermark(nodes, { intervalMs: watermarkIntervalMs }));
  const rateLimiter = stack.use(createRateLimiter(config.TENANTSCOPE_REDIS_URL));
  const keyUsage = stack.use(createKeyUsageCounter(keys, log));
  const loopDelay = stack.use(watchEventLoopDelay());
  const readLimiter = createConcurrencyLimiter(() => loopDelay.overloaded());
  const packLimiter = createConcurrencyLimiter(() => loopDelay.overloaded(), {
    perKey: packsPerKey,
    queuedPerKey: queuedPacksPerKey,
    total: concurrentPacks,
    queueTimeoutMs: packQueueTimeoutMs,
  });
  const cursors = createCursorCodec(config.TENANTSCOPE_CURSOR_SECRETS);
  const registry = createMetrics();
  const metrics = registerMetrics(registry);

  const app = buildApp({
    publicUrl: config.TENANTSCOPE_PUBLIC_URL,
    trustedProxies: config.TENANTSCOPE_TRUSTED_PROXIES,
    allowedMcpOrigins: config.TENANTSCOPE_MCP_ORIGINS,
    publishedKeys: evidenceKeys.published,
    log,
    keys,
    handlers: createHandlers({ models, watermark, cursors, readLimiter, packLimiter, signing }),
    rateLimiter,
    failedLogins: createFailedLoginLimit(),
    keyUsage,
    metrics,
  });
  let stopping = false;
  const measure = () => {
    const settled = watermark.settled('logs');
    if (settled) metrics.settledLag.set({ feed: 'logs' }, (settled.databaseNowMs - settled.throughMs) / 1000);
    metrics.limiterDegraded.set(rateLimiter.degraded() ? 1 : 0);
    metrics.readsInFlight.set(readLimiter.inFlight);
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
          ...nodes.map((node) => withConnection(node, (client) => client.query('select 1'))),
        ]);
        return true;
      },
      registry: registry.registry,
    }),
  );
  await app.fastify.listen({
    host: config.TENANTSCOPE_HOST,
    port: config.TENANTSCOPE_PORT,
    listenTextResolver: (address) => `listening on ${address}; health on port ${health.port}`,
  });
  const { port } = app.fastify.server.address() as AddressInfo;
  stack.defer(() => app.fastify.close());
  return {
    port,
    healthPort: health.port,
    async [Symbol.asyncDispose]() {
      stopping = true;
      await sleep(config.TENANTSCOPE_DRAIN_MS);
      app.drain();
      await stack.disposeAsync();
    },
  };
}
