import type { ApiError } from '@tenantscope/contract';
import type { StatementRunner } from '@tenantscope/store/connection';
import type { TenantContention } from './contention.ts';
import { createGroupCounter, type Group, type SlotOwner } from './group-counter.ts';
import { createRunningTime, type TimeBudget } from './running-time.ts';
import type { StatementPacing } from './statement-pacing.ts';
import { createUsualDuration } from './usual-duration.ts';
import { createWaitingRequests } from './waiting-requests.ts';

export interface ConcurrencyLimits {
  /** Requests that run at once: the connections of the pool behind the limiter. */
  readonly total: number;
  /** Of these, at most so many of one key, tenant or organization. */
  readonly per: Readonly<Partial<Record<Group, number>>>;
  /** A key or tenant that has spent it runs no more than this allows. */
  readonly timeBudget: TimeBudget;
  /** Requests that wait, of one key and of one tenant. */
  readonly queued: number;
  /** Requests that wait in all. */
  readonly queuedTotal: number;
  readonly queueTimeoutMs: number;
  /** Requests of one statement do not wait for the rest of their tenant; later statements do. */
  readonly restsBeforeFirst: boolean;
  /** While tenants contend: all waits of the statements of a request together. */
  readonly waitMaxMs: number;
}

export const refusalReasons = ['overloaded', 'queue_full', 'queue_timeout'] as const;

/** Why a request is refused, and the limit that it waited for. */
export interface Refusal {
  readonly reason: (typeof refusalReasons)[number];
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
  /** `work` passes its statements to the runner. Throws the refusal, the reason of the aborted signal, and what `work` throws. */
  run<Value>(
    owner: SlotOwner,
    signal: AbortSignal,
    work: (runStatement: StatementRunner) => Promise<Value>,
  ): Promise<Value>;
  readonly running: number;
  readonly waiting: number;
}

export interface ConcurrencyLimiterOptions {
  readonly limits: ConcurrencyLimits;
  /** While true, requests are refused where all slots are taken. With free slots the process is not late because of requests: its host is. */
  overloaded(): boolean;
  refuse(refusal: Refusal): ApiError;
  /** Of all limiters of the process: time budgets are smaller while tenants delay each other. */
  readonly contention: TenantContention;
  /** Of all limiters of the process. */
  readonly pacing: StatementPacing;
  readonly observer: ConcurrencyObserver;
  /** A monotonic clock in ms, for tests. */
  now?(): number;
}

/** How often waiting requests are looked at while none ends. */
export const refillIntervalMs = 20;

export function createConcurrencyLimiter(options: ConcurrencyLimiterOptions): ConcurrencyLimiter {
  const { limits, observer, contention, now = () => performance.now() } = options;
  const running = createGroupCounter();
  const usualDuration = createUsualDuration();
  const runningTime = createRunningTime(limits.timeBudget, { now, contention });
  const queued = createWaitingRequests();
  let refill: NodeJS.Timeout | undefined;
  const getLimit = (group: Group, owner: SlotOwner): number =>
    Math.min(limits.per[group] ?? Number.POSITIVE_INFINITY, runningTime.limit(group, owner));
  const findLimit = (owner: SlotOwner): Refusal['limit'] | null => {
    for (const group of ['organization', 'tenant', 'key'] as const)
      if (running.count(group, owner) >= getLimit(group, owner)) return group;
    return running.total >= limits.total ? 'total' : null;
  };
  const refuse = (owner: SlotOwner, reason: Refusal['reason'], limit: Refusal['limit']): ApiError => {
    observer.refused(reason);
    if (limit !== 'total') contention.addExcess(owner);
    return options.refuse({ reason, limit });
  };
  const count = (owner: SlotOwner, amount: 1 | -1): void => {
    running.add(owner, amount);
    runningTime.add(owner, amount);
  };
  const end = (owner: SlotOwner, durationMs: number): void => {
    if (limits.timeBudget.isUsualTimeFree)
      runningTime.credit(owner, Math.min(durationMs, 2 * usualDuration.medianMs()));
    usualDuration.add(durationMs);
    count(owner, -1);
    admitWaiting();
  };
  const admitWaiting = (): void => {
    while (running.total < limits.total) {
      const owner = queued.admitNext((waiting) => findLimit(waiting) === null);
      if (!owner) break;
      count(owner, 1);
    }
    if (queued.total > 0) admitAfterRefill();
  };
  /** A budget may be refilled while nothing of its owner runs. */
  const admitAfterRefill = (): void => {
    if (refill !== undefined) return;
    refill = setTimeout(() => {
      refill = undefined;
      admitWaiting();
    }, refillIntervalMs);
  };

  const acquire = async (owner: SlotOwner, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    // A budget may have been refilled since: a request is not overtaken by a later one of its tenant.
    if (queued.count('tenant', owner) > 0) admitWaiting();
    const limit = findLimit(owner);
    // A request that waits is blocked by a limit of its own, or all slots are taken.
    if (limit === null) return count(owner, 1);
    if (running.total >= limits.total && options.overloaded()) throw refuse(owner, 'overloaded', 'total');
    const isFull = queued.total >= limits.queuedTotal;
    const queuedMax = Math.ceil(limits.queued * contention.getShare(owner));
    if (isFull || queued.count('key', owner) >= queuedMax || queued.count('tenant', owner) >= queuedMax)
      throw refuse(owner, 'queue_full', isFull ? 'total' : limit);
    // A request that waits in vain occupies a connection, and its client opens another one: they delayed new connections of other clients.
    if (runningTime.getRefillMs(owner) > limits.queueTimeoutMs) throw refuse(owner, 'queue_timeout', limit);
    admitAfterRefill();
    await queued.wait(owner, signal, {
      timeoutMs: limits.queueTimeoutMs,
      refuse: () => refuse(owner, 'queue_timeout', findLimit(owner) ?? 'total'),
    });
  };

  return {
    get running() {
      return running.total;
    },
    get waiting() {
      return queued.total;
    },
    async run(owner, signal, work) {
      contention.addRequest(owner);
      const startedMs = performance.now();
      await acquire(owner, signal);
      const admittedMs = now();
      let waitedMs = 0;
      try {
        observer.admitted(performance.now() - startedMs);
        signal.throwIfAborted();
        const runStatement = options.pacing.forRequest(owner, {
          ...limits,
          signal,
          // Time that it waits is not charged.
          onWait(isWaiting) {
            runningTime.add(owner, isWaiting ? -1 : 1);
            waitedMs += isWaiting ? -now() : now();
          },
        });
        return await work(runStatement);
      } finally {
        end(owner, now() - admittedMs - waitedMs);
      }
    },
  };
}
