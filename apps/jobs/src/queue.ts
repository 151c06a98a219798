import { type ConnectionOptions, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { Observed } from './observations.ts';
import type { Work } from './work.ts';

/** A word to the workers that something may be to do. Losing one loses nothing: the next look at the database sends it again. */
export type Nudge =
  | { readonly about: 'tenant'; readonly tenantId: string; readonly period: string; readonly delayMs: number }
  | { readonly about: 'request'; readonly requestId: string };

export interface WorkQueue extends AsyncDisposable {
  /** False: Redis does not take them at the moment. The same nudge sent twice is one. */
  send(nudges: readonly Nudge[]): Promise<boolean>;
  /** The policy by which Redis evicts; null when it evicts nothing, undefined while it has not told. */
  evictionPolicy(): string | null | undefined;
  /** Waits until Redis has told its policy, or for so long. */
  learnPolicy(timeoutMs: number): Promise<string | null | undefined>;
}

const queueName = 'snapshots';
const sendTimeoutMs = 5_000;
const sendAtOnce = 200;
const reconnectMaxMs = 1_000;
/** A killed worker's job is given to another after the lock has run out and the next look for such jobs, 15 s at most. */
const lockMs = 10_000;
const stalledIntervalMs = 5_000;
const closeTimeoutMs = 8_000;
const awayTimeoutMs = 500;
/** Those whom nobody waits for come after those whom somebody does. */
const scheduledPriority = 10;

export interface QueueOptions {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly concurrency: number;
  readonly work: Work;
  readonly observed: Observed;
}

/** Sends nudges and works on those that arrive, through Redis; reconnects for ever. */
export function openQueue({ redisUrl, prefix, concurrency, work, observed }: QueueOptions): WorkQueue {
  const retryStrategy = (attempt: number) => Math.min(50 * attempt, reconnectMaxMs);
  const sending = new Redis(redisUrl, {
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    connectTimeout: 2_000,
    retryStrategy,
  });
  const working = new Redis(redisUrl, { maxRetriesPerRequest: null, connectTimeout: 2_000, retryStrategy });
  let policy: string | null | undefined;
  const learned = Promise.withResolvers<void>();
  const learnPolicy = async () => {
    policy = await evictionPolicyOf(sending);
    observed.evicts(policy);
    learned.resolve();
  };
  // Asked again at each connection: another Redis may stand behind the same address.
  sending.on('ready', () => {
    observed.queueReady(true);
    learnPolicy().catch((error: unknown) => observed.trouble('Redis does not tell whether it evicts', error));
  });
  sending.on('close', () => observed.queueReady(false));
  sending.on('error', (error) =>
    observed.trouble('Redis is away; what is due is done without it if that lasts', error),
  );
  working.on('error', () => {});

  // Keys of one queue lie in one slot of a cluster.
  const keys = { prefix: `{${prefix}}` };
  const finished = { removeOnComplete: true, removeOnFail: true } as const;
  const queue = new Queue(queueName, {
    ...keys,
    connection: sending as ConnectionOptions,
    defaultJobOptions: finished,
  });
  queue.on('error', (error) => observed.trouble('the queue', error));
  const underway = new Set<Promise<void>>();
  const worker = new Worker(
    queueName,
    async ({ data }: { data: Nudge }) => {
      const done = data.about === 'tenant' ? work.takeOwed(data.tenantId) : work.takeRequested(data.requestId);
      underway.add(done);
      await done.finally(() => underway.delete(done));
    },
    {
      ...keys,
      connection: working as ConnectionOptions,
      concurrency,
      lockDuration: lockMs,
      stalledInterval: stalledIntervalMs,
      // A job is only a nudge: one that outlived several workers is no poison, and the next look sends it again anyway.
      maxStalledCount: 3,
      runRetryDelay: 1_000,
    },
  );
  worker.on('error', (error) => observed.trouble('a worker', error));

  return {
    evictionPolicy: () => policy,
    async learnPolicy(timeoutMs) {
      await inTime(learned.promise, timeoutMs);
      return policy;
    },
    async send(nudges) {
      if (sending.status !== 'ready') return false;
      for (let from = 0; from < nudges.length; from += sendAtOnce) {
        const added = queue.addBulk(nudges.slice(from, from + sendAtOnce).map(jobOf));
        added.catch((error: unknown) => observed.trouble('Redis takes no work', error));
        if (!(await inTime(added, sendTimeoutMs))) return false;
      }
      return true;
    },
    async [Symbol.asyncDispose]() {
      // Takes nothing new and tells Redis what is finished, if Redis is there to be told.
      await inTime(worker.close(), sending.status === 'ready' ? closeTimeoutMs : awayTimeoutMs);
      await inTime(Promise.allSettled(underway), closeTimeoutMs);
      await inTime(queue.close(), awayTimeoutMs);
      working.disconnect();
      sending.disconnect();
    },
  };
}

/** Ids may hold no colon. */
function jobOf(nudge: Nudge) {
  return nudge.about === 'request'
    ? { name: 'request', data: nudge, opts: { jobId: `request-${nudge.requestId}` } }
    : {
        name: 'tenant',
        data: nudge,
        opts: {
          jobId: `snapshot-${nudge.tenantId}-${nudge.period}`,
          delay: nudge.delayMs,
          priority: scheduledPriority,
        },
      };
}

/** Null when nothing is evicted. Asked by INFO, since providers forbid CONFIG. */
async function evictionPolicyOf(redis: Redis): Promise<string | null> {
  const told = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1];
  if (told === undefined) throw new Error('INFO names no maxmemory_policy');
  return told === 'noeviction' ? null : told;
}

/** Whether it was done within the time. */
async function inTime(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
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
