import { readStatus } from '@tenantscope/compliance';
import { readSigningKey } from '@tenantscope/proof';
import {
  createLog,
  createMetrics,
  exitOnCrash,
  onShutdown,
  readConfig,
  serveHealth,
  textOrFile,
} from '@tenantscope/runtime';
import { assertLeastPrivilege, isUnavailable, openPool, withConnection } from '@tenantscope/store';
import { type Appointments, keepAppointments } from './appointments.ts';
import { configShape } from './config.ts';
import { evictionWords, observe } from './observations.ts';
import { openQueue } from './queue.ts';
import type { Taking } from './take-snapshot.ts';
import { createWork } from './work.ts';

const minuteMs = 60_000;
const lookBack = 4;
/** A snapshot holds a connection for its chain and one for its facts. */
const connectionsPerSnapshot = 2;
const otherConnections = 4;
const queryTimeoutMs = 65_000;
/** Shorter than the database lets the chain's own transaction wait. */
const evaluationTimeoutMs = 25_000;
const retryMs = 1_000;
const liveWithinMs = 5 * minuteMs;
const redisTellsWithinMs = 3_000;

const config = readConfig(configShape);
const log = createLog({ name: 'jobs', level: config.TENANTSCOPE_LOG_LEVEL });
exitOnCrash(log);
const metrics = createMetrics();
const observed = observe(log, metrics);
const { TENANTSCOPE_SIGNING_KEY: keyOrFile } = config;
const signingKey = keyOrFile ? await readSigningKey(await textOrFile(keyOrFile)) : null;

const modelsUrl = config.TENANTSCOPE_JOBS_DATABASE_URL;
const controlUrl = config.TENANTSCOPE_JOBS_CONTROL_DATABASE_URL ?? modelsUrl;
const maxConnections = (config.TENANTSCOPE_JOBS_CONCURRENCY + 2) * connectionsPerSnapshot + otherConnections;
const models = openPool(modelsUrl, {
  name: 'tenantscope jobs',
  maxConnections,
  connectTimeoutMs: 10_000,
  queryTimeoutMs,
});
const control =
  controlUrl === modelsUrl ? models : openPool(controlUrl, { name: 'tenantscope jobs', maxConnections: 4 });

let stage: string | null = 'waiting for the database';
let appointments: Appointments | null = null;
let stopping = false;
const running = new AsyncDisposableStack();
const health = await serveHealth({
  host: config.TENANTSCOPE_HOST,
  port: config.TENANTSCOPE_HEALTH_PORT,
  registry: metrics.registry,
  live: () => (appointments?.stillMs() ?? 0) < liveWithinMs || 'nobody has looked at what is due for minutes',
  async ready() {
    if (stopping) return 'stopping';
    if (stage !== null) return stage;
    const policy = queue?.evictionPolicy();
    if (policy) return evictionWords(policy);
    for (const pool of new Set([models, control])) await withConnection(pool, (client) => client.query('select 1'));
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

await whenReachable(() => assertLeastPrivilege(models));
await whenReachable(() => assertLeastPrivilege(control));
const schedule = {
  dueAfterMs: config.TENANTSCOPE_SNAPSHOT_DUE_MINUTES * minuteMs,
  spreadMs: config.TENANTSCOPE_SNAPSHOT_SPREAD_MINUTES * minuteMs,
  lookBack,
};
const taking: Taking = {
  models,
  signingKey,
  evaluate: ({ id, connectedAtMs }, nowMs) =>
    readStatus(
      models,
      { tenantId: id, connectedAtMs, nowMs, becomesSnapshot: true },
      { timeoutMs: evaluationTimeoutMs },
    ),
};
const work = createWork({ taking, control, schedule, observed });
const queue = running.use(
  openQueue({
    redisUrl: config.TENANTSCOPE_REDIS_URL,
    prefix: config.TENANTSCOPE_JOBS_QUEUE_PREFIX,
    concurrency: config.TENANTSCOPE_JOBS_CONCURRENCY,
    work,
    observed,
  }),
);
stage = 'asking Redis whether it evicts';
const policy = await queue.learnPolicy(redisTellsWithinMs);
if (policy) {
  log.fatal({ policy }, evictionWords(policy));
  process.exit(1);
}
appointments = running.use(
  keepAppointments({
    control,
    models,
    schedule,
    queue,
    work,
    observed,
    intervalMs: config.TENANTSCOPE_JOBS_RECONCILE_SECONDS * 1_000,
    directAfterMs: config.TENANTSCOPE_JOBS_DIRECT_AFTER_SECONDS * 1_000,
  }),
);
stage = null;
log.info({ health: health.port, signs: signingKey?.kid ?? null }, 'jobs is running');

/** A database that is not there yet is waited for; anything else ends the process. */
async function whenReachable(ask: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      observed.trouble('the database is away', error);
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
