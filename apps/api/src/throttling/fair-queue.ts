/** A queue per tenant. The tenants are served in turn, the requests of a tenant in the order of their arrival. */
export interface FairQueue<Waiter> {
  add(tenantId: string, waiter: Waiter): void;
  remove(tenantId: string, waiter: Waiter): void;
  /** Removes the first waiter that is ready; the next turn of its tenant is after those of all others. */
  takeNext(isReady: (waiter: Waiter) => boolean): Waiter | undefined;
}

export function createFairQueue<Waiter>(): FairQueue<Waiter> {
  /** In the order of the turns. */
  const tenants = new Map<string, Set<Waiter>>();

  const remove = (tenantId: string, waiter: Waiter): void => {
    const waiters = tenants.get(tenantId);
    waiters?.delete(waiter);
    if (waiters?.size === 0) tenants.delete(tenantId);
  };

  return {
    add(tenantId, waiter) {
      const waiters = tenants.get(tenantId) ?? new Set();
      tenants.set(tenantId, waiters.add(waiter));
    },
    remove,
    takeNext(isReady) {
      for (const [tenantId, waiters] of tenants)
        for (const waiter of waiters) {
          if (!isReady(waiter)) continue;
          tenants.delete(tenantId);
          tenants.set(tenantId, waiters);
          remove(tenantId, waiter);
          return waiter;
        }
      return undefined;
    },
  };
}
