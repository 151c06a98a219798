import { readStatus } from '@tenantscope/compliance';
import { createLogEndReader } from '@tenantscope/publish/log-end';
import {
  createLog,
  createMetrics,
  defaultCell,
  describeKafkaError,
  exitOnCrash,
  type KafkaConnection,
  mainCluster,
  onShutdown,
  readKafkaClusters,
  readKafkaConnection,
  readProcessConfig,
  readRedisConnection,
  retryEverySecond,
  serveHealth,
} from '@tenantscope/runtime';
import {
  assertLeastPrivilege,
  isUnavailable,
  openPool,
  readOwnCell,
  registerProcess,
  withConnection,
} from '@tenantscope/store/connection';
import { type ReadLogEnds, startLaneMonitor } from '@tenantscope/store/lane';
import { startConfiguredCanary } from './canary/configured-canary.ts';
import { jobsConfig } from './config.ts';
import { createJobMetrics, formatEvictionError } from './job-metrics.ts';
import { startLogReceipts } from './log-receipts.ts';
import { type Scheduler, startScheduler } from './scheduler.ts';
import { createSigningKeyReader } from './signing-key.ts';
import { openSnapshotQueue } from './snapshot-queue.ts';
import { createSnapshotTasks } from './snapshot-tasks.ts';
import type { SnapshotDependencies } from './take-snapshot.ts';

const minuteMs = 60_000;
const lookBackWeeks = 4;
/** A snapshot uses one connection for its chain and one for its facts. */
const connectionsPerSnapshot = 2;
const otherConnections = 4;
const queryTimeoutMs = 65_000;
/** Shorter than the timeout of the idle transaction that extends the chain. */
const evaluationTimeoutMs = 25_000;
const liveWithinMs = 5 * minuteMs;
const unreadyAfterMs = 30_000;
const policyTimeoutMs = 3_000;

const config = readProcessConfig(process, 'jobs', jobsConfig);
const log = createLog({ name: 'jobs', level: config.TENANTSCOPE_LOG_LEVEL });
exitOnCrash(log);
const processMetrics = createMetrics('jobs', config.TENANTSCOPE_CELL);
const metrics = createJobMetrics(log, processMetrics);
const readSigningKey = createSigningKeyReader(config, log);
const signingKey = await readSigningKey();
metrics.setSigningKeyConfigured(signingKey !== null);

const modelsUrl = config.TENANTSCOPE_JOBS_DATABASE_URL;
const controlUrl = config.TENANTSCOPE_JOBS_CONTROL_DATABASE_URL ?? modelsUrl;
const controlVariable = config.TENANTSCOPE_JOBS_CONTROL_DATABASE_URL
  ? 'TENANTSCOPE_JOBS_CONTROL_DATABASE_URL'
  : 'TENANTSCOPE_JOBS_DATABASE_URL';
const maxConnections = (config.TENANTSCOPE_JOBS_CONCURRENCY + 2) * connectionsPerSnapshot + otherConnections;
const models = openPool(modelsUrl, {
  name: 'tenantscope jobs',
  variable: 'TENANTSCOPE_JOBS_DATABASE_URL',
  maxConnections,
  connectTimeoutMs: 10_000,
  queryTimeoutMs,
});
const control =
  controlUrl === modelsUrl
    ? models
    : openPool(controlUrl, {
        name: 'tenantscope jobs',
        variable: controlVariable,
        maxConnections: 4,
      });

let stage: string | null = 'waiting for the database';
let scheduler: Scheduler | null = null;
let stopping = false;
const running = new AsyncDisposableStack();
const health = await serveHealth({
  host: config.TENANTSCOPE_HOST,
  port: config.TENANTSCOPE_HEALTH_PORT,
  metrics: processMetrics,
  live: () => (scheduler?.overdueMs() ?? 0) < liveWithinMs || 'scheduler stalled: no pass for 5 min',
  async ready() {
    if (stopping) return 'stopping';
    if (stage !== null) return stage;
    const policy = queue?.evictionPolicy();
    if (policy) return formatEvictionError(policy);
    for (const pool of new Set([models, control])) await withConnection(pool, (client) => client.query('select 1'));
    const failingMs = scheduler?.failingMs() ?? 0;
    if (failingMs > unreadyAfterMs) return `due snapshots were not read for ${Math.round(failingMs / 1_000)} s`;
    return true;
  },
});
onShutdown(log, async () => {
  stopping = true;
  await running.disposeAsync();
  await health[Symbol.asyncDispose]();
});
running.defer(async () => {
  await models.end();
  if (control !== models) await control.end();
});

const whileUnavailable = {
  isRetryable: isUnavailable,
  onRetry: (error: unknown) => metrics.warn('database unavailable; retrying in 1 s', error),
};
await retryEverySecond(() => assertLeastPrivilege(models), whileUnavailable);
await retryEverySecond(() => assertLeastPrivilege(control), whileUnavailable);
const cell = config.TENANTSCOPE_CELL;
const { topicPrefix } = await retryEverySecond(() => readOwnCell({ control, models }, cell), whileUnavailable);
running.use(
  registerProcess({
    app: 'jobs',
    url: controlUrl,
    variable: controlVariable,
    failed: metrics.warn,
  }),
);
const schedule = {
  dueAfterMs: config.TENANTSCOPE_SNAPSHOT_DUE_MINUTES * minuteMs,
  spreadMs: config.TENANTSCOPE_SNAPSHOT_SPREAD_MINUTES * minuteMs,
  lookBack: lookBackWeeks,
};
const dependencies: SnapshotDependencies = {
  models,
  readSigningKey,
  evaluate: ({ id, connectedAtMs }, earliestMs) =>
    readStatus(
      models,
      { tenantId: id, connectedAtMs, nowMs: null, earliestMs, becomesSnapshot: true },
      { timeoutMs: evaluationTimeoutMs },
    ),
};
const tasks = createSnapshotTasks({ dependencies, control, cell, schedule, metrics });
const queue = running.use(
  openSnapshotQueue({
    redis: readRedisConnection(config),
    // Workers of another cell would find no snapshot due and complete the job.
    prefix: config.TENANTSCOPE_JOBS_QUEUE_PREFIX + (cell === defaultCell ? '' : `.${cell}`),
    concurrency: config.TENANTSCOPE_JOBS_CONCURRENCY,
    tasks,
    metrics,
  }),
);
stage = 'reading the eviction policy of Redis';
const policy = await queue.waitForEvictionPolicy(policyTimeoutMs);
if (policy) {
  log.fatal({ policy }, formatEvictionError(policy));
  process.exit(1);
}
scheduler = running.use(
  startScheduler({
    control,
    models,
    cell,
    schedule,
    queue,
    tasks,
    metrics,
    intervalMs: config.TENANTSCOPE_JOBS_RECONCILE_SECONDS * 1_000,
    inlineAfterMs: config.TENANTSCOPE_JOBS_INLINE_AFTER_SECONDS * 1_000,
  }),
);
running.use(
  startLogReceipts({
    models,
    control,
    cell,
    intervalMs: config.TENANTSCOPE_JOBS_RECONCILE_SECONDS * 1_000,
    written: metrics.recordReceipt,
    setDue: metrics.setReceiptDue,
    failed: metrics.warn,
  }),
);
const { TENANTSCOPE_KAFKA_BROKERS: brokers } = config;
if (brokers !== undefined) {
  const kafka = readKafkaConnection({ ...config, TENANTSCOPE_KAFKA_BROKERS: brokers });
  const clusters = new Map([[mainCluster, kafka], ...readKafkaClusters(config)]);
  running.use(
    startLaneMonitor({
      ledgers: [
        { pool: models, schema: 'models' },
        ...(cell === defaultCell ? [{ pool: control, schema: 'control' } as const] : []),
      ],
      clusters: new Map([...clusters].map(([name, connection]) => [name, openLogEnds(connection)])),
      observed: (statuses) => statuses && metrics.setLanes(statuses),
      failed: metrics.warn,
    }),
  );
  running.use(
    startConfiguredCanary({ ...config, ...(topicPrefix && { TENANTSCOPE_TOPIC_PREFIX: topicPrefix }) }, kafka, {
      metrics: metrics.canary,
      log,
      warn: metrics.warn,
    }),
  );
}
stage = null;
log.info({ cell, health: health.port, signingKeyId: signingKey?.kid ?? null }, 'jobs started');

function openLogEnds(connection: KafkaConnection): ReadLogEnds {
  const logEnds = running.use(createLogEndReader(connection));
  return (positions) =>
    logEnds.read(positions).catch((error: unknown) => {
      throw new Error(describeKafkaError(error, connection), { cause: error });
    });
}
