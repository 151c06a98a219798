import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@tenantscope/contract';
import { feedKey, type TenantFeed, type Watermark } from '@tenantscope/store/read';
import { settleTimeoutMs, tailCheckIntervalMs, tailRestMs, tailWaitsMax } from '../limits.ts';
import type { SlotOwner } from '../throttling/group-counter.ts';
import { createWaitPlaces, type WaitPlace } from './wait-places.ts';

/** Where a page at the end of a feed ends: everything at or before `throughMs` was read. */
export interface Tail extends TenantFeed {
  readonly throughMs: number;
}

export interface TailWait extends Disposable {
  /**
   * Resolves with true when the feed may have rows after the page that can be read, also in another cell, and with false after `timeoutMs`, when
   * another organization takes the place, or when the process stops. Throws the reason of the aborted signal.
   */
  wait(tail: Tail, timeoutMs: number, signal: AbortSignal): Promise<boolean>;
}

/** Requests that wait for new rows. All of a process ask the database together. */
export interface TailWaits extends AsyncDisposable {
  /**
   * Null if too many requests wait, or the process stops: the request is answered at once. Where all places are taken, the organization with the most of
   * them gives one up to another with fewer. Throws RATE_LIMITED if one of this key waits for this feed.
   */
  begin(owner: Pick<SlotOwner, 'keyId' | 'organizationId'>, feed: TenantFeed, endMs: number): TailWait | null;
  /** Ends all waits, and those that would begin. */
  stop(): void;
}

export interface TailWaitOptions {
  readonly watermark: Pick<Watermark, 'settled' | 'waitUntilSettled'>;
  /** The stamps of the newest rows, by `feedKey`. */
  readonly readNewest: (of: readonly TenantFeed[]) => Promise<ReadonlyMap<string, number>>;
  /** Whether rows of the tenant are written to another cell. */
  readonly hasLeft: (tenantId: string) => boolean;
}

interface Waiter {
  readonly tail: Tail;
  readonly notBeforeMs: number;
  wake(hasRows: boolean): void;
}

export function createTailWaits({ watermark, readNewest, hasLeft }: TailWaitOptions): TailWaits {
  const places = createWaitPlaces(tailWaitsMax);
  const waiters = new Set<Waiter>();
  let stopped = false;
  let checking: Promise<void> | null = null;

  const wakeSettled = async (waiter: Waiter, newestMs: number) => {
    if (await watermark.waitUntilSettled(waiter.tail.feed, newestMs, settleTimeoutMs)) waiter.wake(true);
  };
  const checkOnce = async () => {
    const now = performance.now();
    for (const waiter of waiters) if (waiter.notBeforeMs <= now && hasLeft(waiter.tail.tenantId)) waiter.wake(true);
    const due = [...waiters].filter(({ notBeforeMs }) => notBeforeMs <= now);
    if (due.length === 0) return;
    // Without the database requests wait until their time ends, and then get the error.
    const newest = await readNewest(due.map(({ tail }) => tail)).catch(() => new Map<string, number>());
    for (const waiter of due) {
      const newestMs = newest.get(feedKey(waiter.tail)) ?? 0;
      if (newestMs > waiter.tail.throughMs) void wakeSettled(waiter, newestMs);
    }
  };
  /** The statement may take a tenth of the time of one connection. */
  const check = async () => {
    while (waiters.size > 0) {
      const startedMs = performance.now();
      await checkOnce();
      await sleep(Math.max(tailCheckIntervalMs, 9 * (performance.now() - startedMs)));
    }
    checking = null;
  };

  const wait = (
    { tail, timeoutMs, signal, restMs }: { tail: Tail; timeoutMs: number; signal: AbortSignal; restMs: number },
    place: WaitPlace,
  ): Promise<boolean> =>
    new Promise((resolve, reject) => {
      if (stopped || place.isGivenUp) return resolve(false);
      if (signal.aborted) return reject(signal.reason);
      const leave = () => {
        waiters.delete(waiter);
        clearTimeout(timer);
        signal.removeEventListener('abort', abandon);
      };
      const waiter: Waiter = {
        tail,
        notBeforeMs: performance.now() + restMs,
        wake(hasRows) {
          leave();
          resolve(hasRows);
        },
      };
      const abandon = () => {
        leave();
        reject(signal.reason);
      };
      const timer = setTimeout(() => waiter.wake(false), timeoutMs);
      signal.addEventListener('abort', abandon, { once: true });
      waiters.add(waiter);
      place.end = () => waiter.wake(false);
      checking ??= check();
    });

  const stop = () => {
    stopped = true;
    for (const waiter of waiters) waiter.wake(false);
  };
  return {
    begin({ keyId, organizationId }, feed, endMs) {
      const name = `${keyId} ${feedKey(feed)}`;
      const other = places.find(name);
      if (other !== undefined) throw alreadyWaiting(other.endMs - performance.now());
      const place = stopped ? null : places.take({ name, group: organizationId ?? feed.tenantId, endMs });
      if (place === null) return null;
      let waits = 0;
      return {
        // Rows that woke the request before did not match its filters: it reads at most once a second.
        wait: (tail, timeoutMs, signal) =>
          wait({ tail, timeoutMs, signal, restMs: waits++ === 0 ? 0 : tailRestMs }, place),
        [Symbol.dispose]: () => places.release(place),
      };
    },
    stop,
    async [Symbol.asyncDispose]() {
      stop();
      await checking;
    },
  };
}

function alreadyWaiting(leftMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(leftMs / 1_000));
  return new ApiError(
    'RATE_LIMITED',
    'Another request of this key already waits for new rows of this feed. Send one at a time, or omit Prefer: wait.',
    undefined,
    { 'Retry-After': String(seconds) },
  );
}
