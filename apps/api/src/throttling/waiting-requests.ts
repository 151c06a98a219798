import { createFairQueue } from './fair-queue.ts';
import { createGroupCounter, type GroupCounter, type SlotOwner } from './group-counter.ts';

/** Requests that wait for a slot: the tenants in turn, those of a tenant in the order of their arrival. */
export interface WaitingRequests extends Pick<GroupCounter, 'total' | 'count'> {
  /** Resolves when it is admitted. Throws the reason of the aborted signal, and after `timeoutMs` what `refuse` returns. */
  wait(owner: SlotOwner, signal: AbortSignal, timeout: { readonly timeoutMs: number; refuse(): Error }): Promise<void>;
  /** Admits the first one whose owner is ready, and returns its owner. */
  admitNext(isReady: (owner: SlotOwner) => boolean): SlotOwner | undefined;
}

interface Waiter {
  readonly owner: SlotOwner;
  admit(): void;
}

export function createWaitingRequests(): WaitingRequests {
  const queued = createGroupCounter();
  const queue = createFairQueue<Waiter>();
  return {
    get total() {
      return queued.total;
    },
    count: queued.count,
    wait: (owner, signal, { timeoutMs, refuse }) =>
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
        const timer = setTimeout(() => leave(refuse()), timeoutMs);
        signal.addEventListener('abort', abandon, { once: true });
        queue.add(owner.tenantId, waiter);
        queued.add(owner, 1);
      }),
    admitNext(isReady) {
      const next = queue.takeNext(({ owner }) => isReady(owner));
      if (!next) return undefined;
      queued.add(next.owner, -1);
      next.admit();
      return next.owner;
    },
  };
}
