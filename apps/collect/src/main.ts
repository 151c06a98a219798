import { hostname } from 'node:os';
import { connectPublisher, type Publisher } from '@tenantscope/publish';
import {
  createLog,
  createMetrics,
  describeKafkaError,
  exitOnCrash,
  onShutdown,
  readKafkaConnection,
  readProcessConfig,
  retryEverySecond,
  serveHealth,
} from '@tenantscope/runtime';
import {
  assertLeastPrivilege,
  isUnavailable,
  openPool,
  registerProcess,
  withConnection,
} from '@tenantscope/store/connection';
import { createCollectMetrics } from './collect-metrics.ts';
import { createRecordPublisher } from './collection/record-publisher.ts';
import { type Scheduler, startScheduler } from './collection/scheduler.ts';
import { collectConfig } from './config.ts';
import { providers } from './provider/providers.ts';

const liveWithinMs = 5 * 60_000;
const unreadyAfterMs = 30_000;
const responseMaxBytes = 32 * 1_048_576;

const config = readProcessConfig(process, 'collect', collectConfig);
const log = createLog({ name: 'collect', level: config.TENANTSCOPE_LOG_LEVEL });
exitOnCrash(log);
const processMetrics = createMetrics('collect');
const kafka = readKafkaConnection(config);
const concurrency = config.TENANTSCOPE_COLLECT_CONCURRENCY;
const control = openPool(config.TENANTSCOPE_COLLECT_DATABASE_URL, {
  name: 'tenantscope collect',
  variable: 'TENANTSCOPE_COLLECT_DATABASE_URL',
  // Runs use connections for milliseconds.
  maxConnections: Math.min(4, concurrency) + 2,
  connectTimeoutMs: 5_000,
});

let stage: string | null = 'waiting for the database';
let scheduler: Scheduler | null = null;
const running = new AsyncDisposableStack();
const stopping = new AbortController();
const health = await serveHealth({
  host: config.TENANTSCOPE_HOST,
  port: config.TENANTSCOPE_HEALTH_PORT,
  metrics: processMetrics,
  live: () => (scheduler?.stalledMs() ?? 0) < liveWithinMs || 'scheduler stalled: no pass for 5 min',
  async ready() {
    if (stopping.signal.aborted) return 'stopping';
    if (stage !== null) return stage;
    await withConnection(control, (client) => client.query('select 1'));
    const failingMs = scheduler?.failingMs() ?? 0;
    if (failingMs > unreadyAfterMs) return `due streams were not read for ${Math.round(failingMs / 1_000)} s`;
    return true;
  },
});
onShutdown(log, async () => {
  stopping.abort();
  await running.disposeAsync();
  await health[Symbol.asyncDispose]();
});
running.defer(() => control.end());

await retryEverySecond(() => assertLeastPrivilege(control), {
  isRetryable: isUnavailable,
  onRetry: (error) => log.warn({ err: error }, 'database unavailable; retrying in 1 s'),
});
running.use(
  registerProcess({
    app: 'collect',
    url: config.TENANTSCOPE_COLLECT_DATABASE_URL,
    variable: 'TENANTSCOPE_COLLECT_DATABASE_URL',
    failed: (message, error) => log.warn({ err: error }, message),
  }),
);
stage = 'waiting for Kafka';
const publisher: Publisher = running.use(
  await retryEverySecond(() => connectPublisher({ ...kafka, clientId: 'tenantscope-collect' }), {
    isRetryable: () => true,
    onRetry: (error) =>
      log.warn({ err: error, reason: describeKafkaError(error, kafka) }, 'Kafka unavailable; retrying in 1 s'),
  }),
);
scheduler = running.use(
  startScheduler({
    control,
    publisher: createRecordPublisher(publisher, config.TENANTSCOPE_TOPIC_PREFIX, kafka.brokers),
    providers,
    limits: { timeoutMs: config.TENANTSCOPE_COLLECT_REQUEST_SECONDS * 1_000, maxBytes: responseMaxBytes },
    leaseMs: config.TENANTSCOPE_COLLECT_LEASE_SECONDS * 1_000,
    concurrency,
    worker: `${hostname()}/${process.pid}`,
    log,
    metrics: createCollectMetrics(processMetrics, Object.keys(providers)),
  }),
);
stage = null;
log.info({ health: health.port, concurrency }, 'collect started');
