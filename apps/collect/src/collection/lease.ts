import { renewLease } from '@tenantscope/store/collect';
import type { Pool } from '@tenantscope/store/connection';

/** A lease of a stream; the signal aborts when it is lost. Disposing ends its renewal, not the lease. */
export interface Lease extends Disposable {
  readonly signal: AbortSignal;
}

export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** Renews a lease three times in its duration. A failure to reach the database ends it only when its time is over. */
export function maintainLease(control: Pool, leaseId: string, leaseMs: number): Lease {
  const lost = new AbortController();
  let renewedAtMs = performance.now();
  const renew = async (): Promise<void> => {
    const startedAtMs = performance.now();
    const isRenewed = await renewLease(control, leaseId, leaseMs).catch(() => null);
    if (isRenewed === true) renewedAtMs = startedAtMs;
    if (isRenewed === false || performance.now() - renewedAtMs > leaseMs) lost.abort(new LeaseLost('the lease ended'));
  };
  const timer = setInterval(() => void renew(), leaseMs / 3);
  return { signal: lost.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
