import { describeRedisError, type RedisConnection } from '@tenantscope/runtime';
import { type ConnectionOptions, Queue, Worker } from 'bullmq';
import { Redis, ReplyError } from 'ioredis';
import type { JobMetrics } from './job-metrics.ts';
import type { SnapshotTasks } from './snapshot-tasks.ts';

/** A job that makes a worker check the database. Losing one has no effect: the scheduler's next pass enqueues it again. */
export type SnapshotJob =
  | { readonly about: 'tenant'; readonly tenantId: string; readonly period: string; readonly delayMs: number }
  | { readonly about: 'request'; readonly requestId: string };

export interface SnapshotQueue extends AsyncDisposable {
  /** False when Redis is unavailable. A job that is already queued is not added again. */
  enqueue(jobs: readonly SnapshotJob[]): Promise<boolean>;
  /** The eviction policy of Redis: null when it never evicts, undefined while it is unknown. */
  evictionPolicy(): string | null | undefined;
  /** Waits until the policy has been read, or for so long. */
  waitForEvictionPolicy(timeoutMs: number): Promise<string | null | undefined>;
}

const queueName = 'snapshots';
const enqueueTimeoutMs = 5_000;
const enqueueBatchSize = 200;
const reconnectMaxMs = 1_000;
/** After a command that Redis refuses, such as one that its ACL does not allow. BullMQ would repeat it at once, with a third of a core. */
const refusedRetryMs = 5_000;
/** A host that disappeared closes no connection. Above the longest wait of a worker for a job, which is 10 s. */
const socketTimeoutMs = 30_000;
/** A killed worker's job is assigned to another when its lock expired and the next check for stalled jobs ran: 15 s at most. */
const lockMs = 10_000;
const stalledIntervalMs = 5_000;
const closeTimeoutMs = 8_000;
const disconnectedTimeoutMs = 500;
/** Scheduled snapshots follow requested ones, which users wait for. */
const scheduledPriority = 10;

export interface QueueOptions {
  readonly redis: RedisConnection;
  readonly prefix: string;
  readonly concurrency: number;
  readonly tasks: SnapshotTasks;
  readonly metrics: JobMetrics;
}

/** Enqueues jobs in Redis and executes those that arrive; reconnects for ever. */
export function openSnapshotQueue({ redis, prefix, concurrency, tasks, metrics }: QueueOptions): SnapshotQueue {
  // Called with the options of the client as `this`, before each reconnection. BullMQ copies clients with it.
  function retryStrategy(this: unknown, attempt: number): number {
    if (typeof this === 'object') Object.assign(this ?? {}, redis.readLogin());
    return Math.min(50 * attempt, reconnectMaxMs);
  }
  const producerRedis = new Redis(redis.url, {
    ...redis.options,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    connectTimeout: 2_000,
    socketTimeout: socketTimeoutMs,
    retryStrategy,
  });
  const workerRedis = new Redis(redis.url, {
    ...redis.options,
    maxRetriesPerRequest: null,
    connectTimeout: 2_000,
    socketTimeout: socketTimeoutMs,
    retryStrategy,
  });
  let policy: string | null | undefined;
  const policyRead = Promise.withResolvers<void>();
  const updatePolicy = async () => {
    policy = await readEvictionPolicy(producerRedis);
    metrics.setEvictionPolicy(policy);
    policyRead.resolve();
  };
  // Read again at each connection: the address may belong to another Redis.
  producerRedis.on('ready', () => {
    metrics.setQueueConnected(true);
    updatePolicy().catch((error: unknown) =>
      metrics.warn('cannot read the eviction policy of Redis; retrying at the next connection', error),
    );
  });
  producerRedis.on('close', () => metrics.setQueueConnected(false));
  producerRedis.on('error', (error) =>
    metrics.warn('Redis unavailable; overdue jobs will be executed inline', error, describeRedisError(error)),
  );
  workerRedis.on('error', () => {});

  // The braces place all keys of a queue in one slot of a cluster.
  const keys = { prefix: `{${prefix}}` };
  const finished = { removeOnComplete: true, removeOnFail: true } as const;
  const queue = new Queue(queueName, {
    ...keys,
    connection: producerRedis as ConnectionOptions,
    defaultJobOptions: finished,
  });
  queue.on('error', (error) => metrics.warn('the job queue failed; retrying', error));
  const active = new Set<Promise<void>>();
  const worker = new Worker(
    queueName,
    async ({ data }: { data: SnapshotJob }) => {
      const task =
        data.about === 'tenant' ? tasks.takeDueSnapshots(data.tenantId) : tasks.takeRequestedSnapshot(data.requestId);
      active.add(task);
      await task.finally(() => active.delete(task));
    },
    {
      ...keys,
      connection: workerRedis as ConnectionOptions,
      concurrency,
      lockDuration: lockMs,
      stalledInterval: stalledIntervalMs,
      // A job that stalled several workers is not malformed, and the scheduler's next pass enqueues it again anyway.
      maxStalledCount: 3,
      runRetryDelay: 1_000,
    },
  );
  const stopPausing = pauseWhileRefused(worker, metrics);

  return {
    evictionPolicy: () => policy,
    async waitForEvictionPolicy(timeoutMs) {
      await finishesWithin(policyRead.promise, timeoutMs);
      return policy;
    },
    async enqueue(jobs) {
      if (producerRedis.status !== 'ready') return false;
      for (let from = 0; from < jobs.length; from += enqueueBatchSize) {
        const added = queue.addBulk(jobs.slice(from, from + enqueueBatchSize).map(toBullJob));
        added.catch((error: unknown) => metrics.warn('enqueue failed; retrying with the next pass', error));
        if (!(await finishesWithin(added, enqueueTimeoutMs))) return false;
      }
      return true;
    },
    async [Symbol.asyncDispose]() {
      stopPausing();
      // Fetches no more jobs and completes the finished ones, if Redis is connected.
      await finishesWithin(worker.close(), producerRedis.status === 'ready' ? closeTimeoutMs : disconnectedTimeoutMs);
      await finishesWithin(Promise.allSettled(active), closeTimeoutMs);
      await finishesWithin(queue.close(), disconnectedTimeoutMs);
      workerRedis.disconnect();
      producerRedis.disconnect();
    },
  };
}

/** Logs errors, and fetches no jobs for a time after a command that Redis refuses. Returns what ends the pause. */
function pauseWhileRefused(worker: Worker, metrics: JobMetrics): () => void {
  let resuming: NodeJS.Timeout | undefined;
  worker.on('error', (error) => {
    if (!(error instanceof ReplyError)) return metrics.warn('a worker of the job queue failed; retrying', error);
    metrics.warn('a worker of the job queue failed; retrying', error, describeRedisError(error));
    worker.pause(true).catch(() => {});
    resuming ??= setTimeout(() => {
      resuming = undefined;
      worker.resume();
    }, refusedRetryMs);
  });
  return () => clearTimeout(resuming);
}

/** Job ids must not contain a colon. */
function toBullJob(job: SnapshotJob) {
  return job.about === 'request'
    ? { name: 'request', data: job, opts: { jobId: `request-${job.requestId}` } }
    : {
        name: 'tenant',
        data: job,
        opts: {
          jobId: `snapshot-${job.tenantId}-${job.period}`,
          delay: job.delayMs,
          priority: scheduledPriority,
        },
      };
}

/** Null when nothing is evicted. Read by INFO, since providers forbid CONFIG. */
async function readEvictionPolicy(redis: Redis): Promise<string | null> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1];
  if (policy === undefined) throw new Error('INFO returned no maxmemory_policy');
  return policy === 'noeviction' ? null : policy;
}

/** Whether the work succeeds within the time. */
async function finishesWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  try {
    return await Promise.race([
      work.then(
        () => true,
        () => false,
      ),
      late,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
