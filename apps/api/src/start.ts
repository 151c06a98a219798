import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { evidenceKeysPath } from '@tenantscope/contract';
import { createMetrics, type Log, serveHealth } from '@tenantscope/runtime';
import { connectKeys, connectReadModels, watchWatermark, withConnection } from '@tenantscope/store';
import { buildApp } from './app.ts';
import type { ApiConfig } from './config.ts';
import { createCursors } from './cursor.ts';
import { readEvidenceKeys } from './evidence-keys.ts';
import { countFailedLogins } from './failed-logins.ts';
import { createHandlers } from './handlers.ts';
import { countKeyUsage } from './key-usage.ts';
import {
  keysConnections,
  packsInAll,
  packsPerKey,
  packsWaitingPerKey,
  packWaitMs,
  readModelConnections,
  watermarkIntervalMs,
} from './limits.ts';
import { watchLoopDelay } from './loop-delay.ts';
import { observe } from './observations.ts';
import { createRateLimit } from './rate-limit.ts';
import { createTurns } from './turns.ts';

export interface Api extends AsyncDisposable {
  readonly port: number;
  readonly healthPort: number;
}

/**
 * Starts the api and answers when it listens. Disposing stops it gracefully: readiness red, a while of serving on, then every answer
 * closes its connection, then the rest. Throws StoreUnavailable where a database does not answer.
 */
export async function startApi(config: ApiConfig, log: Log): Promise<Api> {
  const stack = new AsyncDisposableStack();
  try {
    return await open(config, log, stack);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function open(config: ApiConfig, log: Log, stack: AsyncDisposableStack): Promise<Api> {
  const evidenceKeys = await readEvidenceKeys(config);
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
    await connectKeys(config.TENANTSCOPE_KEYS_DATABASE_URL, {
      name: 'tenantscope api keys',
      maxConnections: keysConnections,
    }),
  );
  const nodes = [models, ...standbys].flatMap((node) => node.pools());
  const watermark = stack.use(await watchWatermark(nodes, { intervalMs: watermarkIntervalMs }));
  const rateLimit = stack.use(createRateLimit(config.TENANTSCOPE_REDIS_URL));
  const usage = stack.use(countKeyUsage(keys, log));
  const loopDelay = stack.use(watchLoopDelay());
  const turns = createTurns(() => loopDelay.overloaded());
  const packTurns = createTurns(() => loopDelay.overloaded(), {
    perKey: packsPerKey,
    waitingPerKey: packsWaitingPerKey,
    inAll: packsInAll,
    waitMs: packWaitMs,
  });
  const cursors = createCursors(config.TENANTSCOPE_CURSOR_SECRETS);
  const metrics = createMetrics();
  const observations = observe(metrics);

  const app = buildApp({
    publicUrl: config.TENANTSCOPE_PUBLIC_URL,
    trustedProxies: config.TENANTSCOPE_TRUSTED_PROXIES,
    toolOrigins: config.TENANTSCOPE_MCP_ORIGINS,
    evidenceKeys: evidenceKeys.published,
    log,
    keys,
    handlers: createHandlers({ models, watermark, cursors, turns, packTurns, signing }),
    rateLimit,
    failedLogins: countFailedLogins(),
    usage,
    observations,
  });
  let stopping = false;
  const measure = () => {
    const standing = watermark.settled('logs');
    if (standing) observations.settledLag.set({ feed: 'logs' }, (standing.databaseNowMs - standing.throughMs) / 1000);
    observations.limiterDegraded.set(rateLimit.degraded() ? 1 : 0);
    observations.readsInFlight.set(turns.inFlight);
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
      registry: metrics.registry,
    }),
  );
  await app.fastify.listen({
    host: config.TENANTSCOPE_HOST,
    port: config.TENANTSCOPE_PORT,
    listenTextResolver: (address) => `answering at ${address}, health on port ${health.port}`,
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
