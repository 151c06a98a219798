import { topicName, topics } from '@tenantscope/contract';
import { createLog, createMetrics, exitOnCrash, onShutdown, readConfig, serveHealth } from '@tenantscope/runtime';
import { assertLeastPrivilege, keepLeaves, openPool, watchWatermark } from '@tenantscope/store';
import { activityWork } from './activity-work.ts';
import { followApps } from './apps.ts';
import { configShape } from './config.ts';
import { consume } from './consume.ts';
import { directoryWork } from './directory-work.ts';
import { feedMinutes } from './feed-minutes.ts';
import { letterReading } from './letter-reading.ts';
import { serveLetterRequests } from './letter-requests.ts';
import { observe } from './observations.ts';
import { persist } from './persist.ts';
import { createPreparer } from './preparer.ts';
import { recordTopics } from './record-topics.ts';
import { recordWork } from './record-work.ts';
import type { ConsumedTopic } from './session.ts';
import { knowTenants } from './tenants.ts';
import { startUpkeep } from './upkeep.ts';

const settledPollMs = 1_000;
const tenantsIntervalMs = 30_000;
const appsIntervalMs = 5_000;
const liveWithinMs = 120_000;
const leastDaysAhead = 7;

const config = readConfig(configShape);
const log = createLog({ name: 'ingest', level: config.TENANTSCOPE_LOG_LEVEL });
exitOnCrash(log);
const metrics = createMetrics();
const observed = observe(log, metrics);
const crashed = (error: unknown) => {
  log.fatal({ err: error }, 'ingestion cannot go on');
  process.exit(1);
};

const modelsUrl = config.TENANTSCOPE_INGEST_DATABASE_URL;
const models = openPool(modelsUrl, { name: 'tenantscope ingest', maxConnections: 10, queryTimeoutMs: 20_000 });
const controlUrl = config.TENANTSCOPE_INGEST_CONTROL_DATABASE_URL ?? modelsUrl;
const control =
  controlUrl === modelsUrl ? models : openPool(controlUrl, { name: 'tenantscope ingest', maxConnections: 4 });
const modelLedger = { pool: models, schema: 'models' } as const;
const controlLedger = { pool: control, schema: 'control' } as const;

let stage = 'waiting for the database';
let consumption: ReturnType<typeof consume> | null = null;
const disposables = new AsyncDisposableStack();

const health = await serveHealth({
  host: config.TENANTSCOPE_HOST,
  port: config.TENANTSCOPE_HEALTH_PORT,
  registry: metrics.registry,
  live: () => observed.stillMs() < liveWithinMs || `nothing moved for ${Math.round(observed.stillMs() / 1_000)} s`,
  ready: () => {
    if (!consumption) return stage;
    if (leaves.aheadDays < leastDaysAhead) return `partitions lie only ${leaves.aheadDays} days ahead`;
    return upkeep.trouble() ?? consumption.trouble() ?? true;
  },
});
onShutdown(log, async () => {
  await disposables.disposeAsync();
  await health[Symbol.asyncDispose]();
});

const untilItWorks = { wanted: () => true, paused: observed.waiting };
const started = async <Value>(work: () => Promise<Value>): Promise<Value> =>
  (await persist(work, untilItWorks)) as Value;

await started(() => assertLeastPrivilege(models));
await started(() => assertLeastPrivilege(control));
const leaves = await started(() => keepLeaves(models));
disposables.defer(async () => {
  await models.end();
  if (control !== models) await control.end();
});
const watermark = disposables.use(await watchWatermark([models], { intervalMs: settledPollMs }));
const prefix = config.TENANTSCOPE_TOPIC_PREFIX;
const minutes = feedMinutes({ models: modelLedger, prefix, observed, log });
const upkeep = disposables.use(
  startUpkeep({ ledgers: [modelLedger, controlLedger], leaves, watermark, observed, minutes, log }),
);

const preparer = disposables.use(
  createPreparer(
    config.TENANTSCOPE_INGEST_WORKERS,
    { maxRecordBytes: config.TENANTSCOPE_INGEST_MAX_RECORD_BYTES },
    crashed,
  ),
);
const tenants = knowTenants(controlLedger, preparer.know);
await started(tenants.refresh);
const refreshApps = followApps(modelLedger, preparer.learn);
await started(refreshApps);
const refreshing = setInterval(
  () => void tenants.refresh().catch((error: unknown) => observed.waiting(error, 0)),
  tenantsIntervalMs,
);
const followingApps = setInterval(
  () => void refreshApps().catch((error: unknown) => observed.waiting(error, 0)),
  appsIntervalMs,
);
disposables.defer(() => {
  clearInterval(refreshing);
  clearInterval(followingApps);
});

const consumed: ConsumedTopic[] = [
  {
    name: topicName(prefix, topics.activity),
    source: topics.activity.suffix,
    ledger: modelLedger,
    work: (start) => activityWork({ ledger: modelLedger, leaves, preparer, tenants, observed }, start),
  },
  {
    name: topicName(prefix, topics.tenant),
    source: topics.tenant.suffix,
    ledger: controlLedger,
    work: () => directoryWork({ ledger: controlLedger, tenants, observed }),
  },
  ...recordTopics.map(
    ({ topic, reads, ours }): ConsumedTopic => ({
      name: topicName(prefix, topic),
      source: topic.suffix,
      ledger: modelLedger,
      work: (start) =>
        recordWork(
          {
            topic: reads,
            conflictsAreLetters: ours,
            ledger: modelLedger,
            tenants,
            observed,
            maxRecordBytes: config.TENANTSCOPE_INGEST_MAX_RECORD_BYTES,
          },
          start,
        ),
    }),
  ),
];
stage = 'joining the group';
consumption = disposables.use(
  consume({
    kafka: {
      brokers: config.TENANTSCOPE_KAFKA_BROKERS,
      groupId: config.TENANTSCOPE_CONSUMER_GROUP ?? `${prefix}.ingest`,
    },
    topics: consumed,
    observed,
    log,
    crashed,
  }),
);
disposables.use(
  serveLetterRequests({
    control: controlLedger,
    ledgers: [modelLedger, controlLedger],
    brokers: config.TENANTSCOPE_KAFKA_BROKERS.join(','),
    tenants,
    read: letterReading(prefix),
    maxRecordBytes: config.TENANTSCOPE_INGEST_MAX_RECORD_BYTES,
    observed,
    log,
  }),
);
log.info({ topics: consumed.map((topic) => topic.name), health: health.port }, 'ingest is running');
