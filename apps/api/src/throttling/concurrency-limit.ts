import type { ApiError } from '@tenantscope/contract';
import { createFairQueue } from './fair-queue.ts';
import { createGroupCounter, type Group, type SlotOwner } from './group-counter.ts';
import { createRunningTime, type TimeBudget } from './running-time.ts';

export interface ConcurrencyLimits {
  /** Requests that run at once: the connections of the pool behind the limiter. */
  readonly total: number;
  /** Of these, at most so many of one key, tenant or organization. */
  readonly per: Readonly<Partial<Record<Group, number>>>;
  /** A key or tenant that has spent it runs no more than `sustained` at once. */
  readonly timeBudget: TimeBudget;
  /** Requests that wait, of one key and of one tenant. */
  readonly queued: number;
  /** Requests that wait in all. */
  readonly queuedTotal: number;
  readonly queueTimeoutMs: number;
}

/** Why a request is refused, and the limit that it waited for. */
export interface Refusal {
  readonly reason: 'overloaded' | 'queue_full' | 'queue_timeout';
  readonly limit: Group | 'total';
}

export interface ConcurrencyObserver {
  /** Called when a request starts to run. */
  admitted(waitedMs: number): void;
  refused(reason: Refusal['reason']): void;
}

/**
 * Runs requests up to the limits and queues the rest. A free slot goes to the next tenant in turn, so a tenant with many waiting requests does
 * not delay the first request of another one.
 */
export interface ConcurrencyLimiter {
  /** Throws the refusal, the reason of the aborted signal, and what `work` throws. */
  run<Value>(owner: SlotOwner, signal: AbortSignal, work: () => Promise<Value>): Promise<Value>;
  readonly running: number;
  readonly waiting: number;
}

export interface ConcurrencyLimiterOptions {
  readonly limits: ConcurrencyLimits;
  /** While true, every new request is refused. */
  overloaded(): boolean;
  refuse(refusal: Refusal): ApiError;
  readonly observer: ConcurrencyObserver;
  /** A monotonic clock in ms, for tests. */
  now?(): number;
}

interface Waiter {
  readonly owner: SlotOwner;
  admit(): void;
}

export function createConcurrencyLimiter(options: ConcurrencyLimiterOptions): ConcurrencyLimiter {
  const { limits, observer } = options;
  const running = createGroupCounter();
  const runningTime = createRunningTime(limits.timeBudget, options.now ?? (() => performance.now()));
  const queued = createGroupCounter();
  const queue = createFairQueue<Waiter>();

  const getLimit = (group: Group, owner: SlotOwner): number => {
    const most = limits.per[group] ?? Number.POSITIVE_INFINITY;
    return runningTime.isExhausted(group, owner) ? Math.min(most, limits.timeBudget.sustained) : most;
  };
  const findLimit = (owner: SlotOwner): Refusal['limit'] | null => {
    for (const group of ['organization', 'tenant', 'key'] as const)
      if (running.count(group, owner) >= getLimit(group, owner)) return group;
    return running.total >= limits.total ? 'total' : null;
  };
  const refuse = (reason: Refusal['reason'], limit: Refusal['limit']): ApiError => {
    observer.refused(reason);
    return options.refuse({ reason, limit });
  };
  const count = (owner: SlotOwner, amount: 1 | -1): void => {
    running.add(owner, amount);
    runningTime.add(owner, amount);
  };
  const admitWaiting = (): void => {
    while (running.total < limits.total) {
      const next = queue.takeNext(({ owner }) => findLimit(owner) === null);
      if (!next) return;
      queued.add(next.owner, -1);
      count(next.owner, 1);
      next.admit();
    }
  };

  const wait = (owner: SlotOwner, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const stopWaiting = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abandon);
      };
      const leave = (reason: unknown) => {
        stopWaiting();
        queue.remove(owner.tenantId, waiter);
        queued.add(owner, -1);
        reject(reason);
      };
      const waiter: Waiter = {
        owner,
        admit() {
          stopWaiting();
          resolve();
        },
      };
      const abandon = () => leave(signal.reason);
      const timer = setTimeout(
        () => leave(refuse('queue_timeout', findLimit(owner) ?? 'total')),
        limits.queueTimeoutMs,
      );
      signal.addEventListener('abort', abandon, { once: true });
      queue.add(owner.tenantId, waiter);
      queued.add(owner, 1);
    });

  const acquire = async (owner: SlotOwner, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (options.overloaded()) throw refuse('overloaded', 'total');
    const limit = findLimit(owner);
    // A request that waits is blocked by a limit of its own, or all slots are taken: it is not overtaken. A spent time budget is not refilled while
    // requests of its owner run, so the end of a request is the only event after which a waiting one may run.
    if (limit === null) return count(owner, 1);
    const isFull = queued.total >= limits.queuedTotal;
    if (isFull || queued.count('key', owner) >= limits.queued || queued.count('tenant', owner) >= limits.queued)
      throw refuse('queue_full', isFull ? 'total' : limit);
    await wait(owner, signal);
  };

  return {
    get running() {
      return running.total;
    },
    get waiting() {
      return queued.total;
    },
    async run(owner, signal, work) {
      const startedMs = performance.now();
      await acquire(owner, signal);
      try {
        observer.admitted(performance.now() - startedMs);
        signal.throwIfAborted();
        return await work();
      } finally {
        count(owner, -1);
        admitWaiting();
      }
    },
  };
}
