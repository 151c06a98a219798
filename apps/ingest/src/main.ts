import { createLog, createMetrics, exitOnCrash, onShutdown, readConfig, serveHealth } from '@tenantscope/runtime';
import { assertLeastPrivilege, openPool } from '@tenantscope/store/connection';
import { createPartitionCache, watchWatermark } from '@tenantscope/store/ingest';
import { createAppRefresh } from './activity/app-cache.ts';
import { createPreparer } from './activity/preparer.ts';
import { configShape } from './config.ts';
import { createConsumedTopics } from './consumed-topics.ts';
import { createDeadLetterReader } from './dead-letter/dead-letter-reader.ts';
import { processDeadLetterRequests } from './dead-letter/dead-letter-requests.ts';
import { createIngestMetrics } from './ingest-metrics.ts';
import { startConsumer } from './lane/consumer.ts';
import { createFeedMetricsRecorder } from './maintenance/feed-metrics.ts';
import { startMaintenance } from './maintenance/maintenance.ts';
import { retryWhileUnavailable } from './retry.ts';
import { createTenantCache } from './tenant/tenant-cache.ts';

const watermarkIntervalMs = 1_000;
const tenantsIntervalMs = 30_000;
const appsIntervalMs = 5_000;
const liveWithinMs = 120_000;
const minDaysAhead = 7;

const config = readConfig(configShape);
const log = createLog({ name: 'ingest', level: config.TENANTSCOPE_LOG_LEVEL });
exitOnCrash(log);
const processMetrics = createMetrics();
const metrics = createIngestMetrics(log, processMetrics);
const crashed = (error: unknown) => {
  log.fatal({ err: error }, 'ingestion failed; exiting');
  process.exit(1);
};

const modelsUrl = config.TENANTSCOPE_INGEST_DATABASE_URL;
const models = openPool(modelsUrl, { name: 'tenantscope ingest', maxConnections: 10, queryTimeoutMs: 20_000 });
const controlUrl = config.TENANTSCOPE_INGEST_CONTROL_DATABASE_URL ?? modelsUrl;
const control =
  controlUrl === modelsUrl ? models : openPool(controlUrl, { name: 'tenantscope ingest', maxConnections: 4 });
const modelLedger = { pool: models, schema: 'models' } as const;
const controlLedger = { pool: control, schema: 'control' } as const;
const prefix = config.TENANTSCOPE_TOPIC_PREFIX;
const maxRecordBytes = config.TENANTSCOPE_INGEST_MAX_RECORD_BYTES;

let stage = 'waiting for the database';
let consumer: ReturnType<typeof startConsumer> | null = null;
const disposables = new AsyncDisposableStack();

const health = await serveHealth({
  host: config.TENANTSCOPE_HOST,
  port: config.TENANTSCOPE_HEALTH_PORT,
  registry: processMetrics.registry,
  live: () =>
    metrics.msSinceProgress() < liveWithinMs || `no progress for ${Math.round(metrics.msSinceProgress() / 1_000)} s`,
  ready: () => {
    if (!consumer) return stage;
    if (partitions.aheadDays < minDaysAhead)
      return `log partitions exist for ${partitions.aheadDays} days ahead; at least ${minDaysAhead} are required`;
    return maintenance.unreadyReason() ?? consumer.unreadyReason() ?? true;
  },
});
onShutdown(log, async () => {
  await disposables.disposeAsync();
  await health[Symbol.asyncDispose]();
});

const retryForever = { shouldRetry: () => true, onRetry: metrics.recordRetry };
const waitForDatabase = async <Value>(work: () => Promise<Value>): Promise<Value> =>
  (await retryWhileUnavailable(work, retryForever)) as Value;

await waitForDatabase(() => assertLeastPrivilege(models));
await waitForDatabase(() => assertLeastPrivilege(control));
const partitions = await waitForDatabase(() => createPartitionCache(models));
disposables.defer(async () => {
  await models.end();
  if (control !== models) await control.end();
});
const watermark = disposables.use(await watchWatermark([models], { intervalMs: watermarkIntervalMs }));
const feedMetrics = createFeedMetricsRecorder({ models: modelLedger, prefix, metrics, log });
const maintenance = disposables.use(
  startMaintenance({ ledgers: [modelLedger, controlLedger], partitions, watermark, metrics, feedMetrics, log }),
);

const preparer = disposables.use(createPreparer(config.TENANTSCOPE_INGEST_WORKERS, { maxRecordBytes }, crashed));
const tenants = createTenantCache(controlLedger, preparer.setTenants);
await waitForDatabase(tenants.refresh);
const refreshApps = createAppRefresh(modelLedger, preparer.updateApps);
await waitForDatabase(refreshApps);
const repeat = (refresh: () => Promise<void>, intervalMs: number) => {
  const timer = setInterval(
    () => void refresh().catch((error: unknown) => metrics.recordRetry(error, intervalMs)),
    intervalMs,
  );
  disposables.defer(() => clearInterval(timer));
};
repeat(tenants.refresh, tenantsIntervalMs);
repeat(refreshApps, appsIntervalMs);

const topics = createConsumedTopics({
  prefix,
  models: modelLedger,
  control: controlLedger,
  partitions,
  preparer,
  tenants,
  metrics,
  maxRecordBytes,
});
stage = 'joining the consumer group';
consumer = disposables.use(
  startConsumer({
    kafka: {
      brokers: config.TENANTSCOPE_KAFKA_BROKERS,
      groupId: config.TENANTSCOPE_CONSUMER_GROUP ?? `${prefix}.ingest`,
    },
    topics,
    metrics,
    log,
    crashed,
  }),
);
disposables.use(
  processDeadLetterRequests({
    control: controlLedger,
    ledgers: [modelLedger, controlLedger],
    brokers: config.TENANTSCOPE_KAFKA_BROKERS.join(','),
    tenants,
    read: createDeadLetterReader(prefix),
    maxRecordBytes,
    metrics,
    log,
  }),
);
log.info({ topics: topics.map((topic) => topic.name), health: health.port }, 'ingest started');
