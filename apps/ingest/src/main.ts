import { createLogEndReader } from '@tenantscope/publish/log-end';
import {
  collectBuffersWithHeap,
  createLog,
  createMetrics,
  defaultCell,
  exitOnCrash,
  mainCluster,
  onShutdown,
  readKafkaClusters,
  readKafkaConnection,
  readProcessConfig,
  serveHealth,
  startTraces,
} from '@tenantscope/runtime';
import { assertLeastPrivilege, openPool, readOwnCell, registerProcess } from '@tenantscope/store/connection';
import { createPartitionCache, deadLetterMaxBytes, type Ledger, watchWatermark } from '@tenantscope/store/ingest';
import { startLaneMonitor } from '@tenantscope/store/lane';
import { createAppRefresh } from './activity/app-cache.ts';
import { createPreparer } from './activity/preparer.ts';
import { createPrincipalLoader } from './activity/principal-loader.ts';
import { startBindingConsumer } from './binding/binding-consumer.ts';
import { watchUndeclaredClusters } from './binding/undeclared-clusters.ts';
import { ingestConfig } from './config.ts';
import { createConsumedTopics } from './consumed-topics.ts';
import { createDeadLetterReader } from './dead-letter/dead-letter-reader.ts';
import { processDeadLetterRequests } from './dead-letter/dead-letter-requests.ts';
import { startDeadLetterRetention } from './dead-letter/dead-letter-retention.ts';
import { startPendingCount } from './dead-letter/pending-count.ts';
import { createIngestMetrics } from './ingest-metrics.ts';
import { startConsumer } from './lane/consumer.ts';
import { createLaneHealth } from './lane/lane-health.ts';
import { startLedgerPublisher } from './ledger/ledger-publisher.ts';
import { createFeedMetricsRecorder } from './maintenance/feed-metrics.ts';
import { startFileTallyMerges } from './maintenance/file-tallies.ts';
import { writeLogBlocksInBackground } from './maintenance/log-blocks.ts';
import { sealLogInBackground } from './maintenance/log-seals.ts';
import { startMaintenance } from './maintenance/maintenance.ts';
import { startTallyBackfill } from './maintenance/tally-backfill.ts';
import { retryWhileUnavailable } from './retry.ts';
import { watchFencedTenants } from './tenant/fenced-tenants.ts';
import { createTenantCache } from './tenant/tenant-cache.ts';

const watermarkIntervalMs = 1_000;
const tenantsIntervalMs = 30_000;
const directoryIntervalMs = 5_000;
const liveWithinMs = 120_000;
const minDaysAhead = 7;

collectBuffersWithHeap();
const config = readProcessConfig(process, 'ingest', ingestConfig);
const log = createLog({ name: 'ingest', level: config.TENANTSCOPE_LOG_LEVEL });
exitOnCrash(log);
const processMetrics = createMetrics('ingest', config.TENANTSCOPE_CELL);
const metrics = createIngestMetrics(log, processMetrics);
const crashed = (error: unknown) => {
  log.fatal({ err: error }, 'ingestion failed; exiting');
  process.exit(1);
};

const kafka = readKafkaConnection(config);
const clusters = new Map([[mainCluster, kafka], ...readKafkaClusters(config)]);
const modelsUrl = config.TENANTSCOPE_INGEST_DATABASE_URL;
const models = openPool(modelsUrl, {
  name: 'tenantscope ingest',
  variable: 'TENANTSCOPE_INGEST_DATABASE_URL',
  maxConnections: 10,
  queryTimeoutMs: 20_000,
});
const controlUrl = config.TENANTSCOPE_INGEST_CONTROL_DATABASE_URL ?? modelsUrl;
const controlVariable = config.TENANTSCOPE_INGEST_CONTROL_DATABASE_URL
  ? 'TENANTSCOPE_INGEST_CONTROL_DATABASE_URL'
  : 'TENANTSCOPE_INGEST_DATABASE_URL';
const control =
  controlUrl === modelsUrl
    ? models
    : openPool(controlUrl, {
        name: 'tenantscope ingest',
        variable: controlVariable,
        maxConnections: 4,
      });
const maxRecordBytes = config.TENANTSCOPE_INGEST_MAX_RECORD_BYTES;
// A record that a larger limit admits stays whole as a dead letter: it can be replayed.
const deadLetters = { deadLetterMaxBytes: Math.max(deadLetterMaxBytes, maxRecordBytes) };
const modelLedger = { pool: models, schema: 'models', ...deadLetters } as const;
const controlLedger = { pool: control, schema: 'control', ...deadLetters } as const;
const cell = config.TENANTSCOPE_CELL;
// The control database belongs to the cell default: its ingest alone reads the records of tenants and publishes the ledger of the control schema.
const ownLedgers: readonly [Ledger, ...Ledger[]] = cell === defaultCell ? [controlLedger, modelLedger] : [modelLedger];

let stage = 'waiting for the database';
let consumer: ReturnType<typeof startConsumer> | null = null;
let bindings: readonly ReturnType<typeof startBindingConsumer>[] = [];
const disposables = new AsyncDisposableStack();
disposables.use(await startTraces(config, 'ingest', log));
const laneHealth = createLaneHealth({
  ownLanes: () => [consumer, ...bindings].flatMap((each) => each?.lanes() ?? []).map(({ position }) => position),
  msSinceWork: metrics.msSinceWork,
});

const health = await serveHealth({
  host: config.TENANTSCOPE_HOST,
  port: config.TENANTSCOPE_HEALTH_PORT,
  metrics: processMetrics,
  live: () => {
    const sinceMs = metrics.msSinceProgress();
    if (sinceMs >= liveWithinMs) return `no progress for ${Math.round(sinceMs / 1_000)} s`;
    return laneHealth.failureReason() ?? true;
  },
  ready: () => {
    if (!consumer) return stage;
    const aheadDays = partitions.aheadDays();
    if (aheadDays < minDaysAhead)
      return `log partitions exist for ${aheadDays} days ahead; at least ${minDaysAhead} are required`;
    return (
      maintenance.unreadyReason() ??
      ledger.unreadyReason() ??
      consumer.unreadyReason() ??
      laneHealth.unreadyReason() ??
      true
    );
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
const { topicPrefix } = await waitForDatabase(() => readOwnCell({ control, models }, cell));
const prefix = topicPrefix ?? config.TENANTSCOPE_TOPIC_PREFIX;
const partitions = await waitForDatabase(() => createPartitionCache(models));
disposables.defer(async () => {
  await models.end();
  if (control !== models) await control.end();
});
disposables.use(
  registerProcess({
    app: 'ingest',
    url: controlUrl,
    variable: controlVariable,
    failed: (message, error) => log.warn({ err: error }, message),
  }),
);
const watermark = disposables.use(await watchWatermark([models], { intervalMs: watermarkIntervalMs }));
const feedMetrics = createFeedMetricsRecorder({ models: modelLedger, metrics, log });
const ledger = disposables.use(startLedgerPublisher({ kafka, prefix, ledgers: ownLedgers, metrics, log }));
const maintenance = disposables.use(
  startMaintenance({
    ledgers: ownLedgers,
    partitions,
    watermark,
    metrics,
    feedMetrics,
    isLedgerComplete: ledger.isComplete,
    log,
  }),
);
disposables.use(startTallyBackfill({ models: modelLedger, log }));
disposables.use(startFileTallyMerges({ models: modelLedger, log }));
disposables.use(writeLogBlocksInBackground({ models, watermark, metrics, log }));
disposables.use(sealLogInBackground({ models, watermark, metrics, log }));

const preparer = disposables.use(createPreparer(config.TENANTSCOPE_INGEST_WORKERS, { maxRecordBytes }, crashed));
const refreshApps = createAppRefresh(modelLedger, preparer.updateApps);
await waitForDatabase(() => refreshApps());
const principals = createPrincipalLoader({ models: modelLedger, preparer, metrics });
await waitForDatabase(principals.refresh);
const tenants = createTenantCache(
  { control: controlLedger, models: modelLedger, cell },
  preparer.setTenants,
  async (moved) => {
    principals.evict(moved);
    await refreshApps('all');
  },
);
await waitForDatabase(tenants.refreshMoves);
await waitForDatabase(tenants.refresh);
const repeat = (refresh: () => Promise<void>, intervalMs: number) => {
  const timer = setInterval(
    () => void refresh().catch((error: unknown) => metrics.recordRetry(error, intervalMs)),
    intervalMs,
  );
  disposables.defer(() => clearInterval(timer));
};
repeat(tenants.refresh, tenantsIntervalMs);
repeat(() => refreshApps(), directoryIntervalMs);
repeat(principals.refresh, directoryIntervalMs);

const consumed = createConsumedTopics({
  prefix,
  models: modelLedger,
  control: cell === defaultCell ? controlLedger : null,
  partitions,
  principals,
  tenants,
  metrics,
  maxRecordBytes,
});
const readLogEnds = new Map(
  [...clusters].map(([name, connection]) => [name, disposables.use(createLogEndReader(connection)).read]),
);
disposables.use(
  startLaneMonitor({
    ledgers: ownLedgers,
    clusters: readLogEnds,
    observed(statuses) {
      laneHealth.observe(statuses);
      if (statuses) metrics.setLanes(statuses);
    },
    failed: (message, error) => log.debug({ err: error }, message),
  }),
);
// Before records are read: a dead letter of them is an increase.
disposables.use(startPendingCount({ ledgers: ownLedgers, metrics, log }));
stage = 'joining the consumer group';
const groupId = config.TENANTSCOPE_CONSUMER_GROUP ?? `${prefix}.ingest`;
const consumerOptions = { control: controlLedger, metrics, log, crashed };
const maxBatchBytes = config.TENANTSCOPE_INGEST_MAX_BATCH_BYTES;
consumer = disposables.use(
  startConsumer({ ...consumerOptions, kafka: { connection: kafka, maxBatchBytes, groupId }, topics: consumed.own }),
);
const ownTopics = new Set(consumed.own.map(({ name }) => name));
bindings = [...clusters].map(([cluster, connection]) =>
  disposables.use(
    startBindingConsumer({
      ...consumerOptions,
      // With the name, since two names may be of one cluster.
      kafka: { connection, maxBatchBytes, groupId: `${groupId}.bindings${connection.cluster ? `.${cluster}` : ''}` },
      cluster,
      cell,
      models: modelLedger,
      ownTopics,
      bind: consumed.bind,
    }),
  ),
);
disposables.use(
  watchUndeclaredClusters({
    control: controlLedger,
    models: modelLedger,
    cell,
    clusters: new Set(clusters.keys()),
    metrics,
  }),
);
disposables.use(
  processDeadLetterRequests({
    control: controlLedger,
    ledgers: ownLedgers,
    kafka,
    cell,
    prefix,
    defaultPrefix: config.TENANTSCOPE_TOPIC_PREFIX,
    tenants,
    read: createDeadLetterReader(prefix),
    maxRecordBytes,
    metrics,
    log,
  }),
);
disposables.use(
  startDeadLetterRetention({
    ledgers: ownLedgers,
    retentionDays: config.TENANTSCOPE_DEAD_LETTER_RETENTION_DAYS,
    log,
  }),
);
disposables.use(watchFencedTenants({ control: controlLedger, models: modelLedger, cell, metrics, log }));
log.info({ cell, topics: [...ownTopics], health: health.port }, 'ingest started');
