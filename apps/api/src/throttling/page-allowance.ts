import { pageBurstMs } from '../limits.ts';
import type { TenantContention } from './contention.ts';
import type { SlotOwner } from './group-counter.ts';

/** Running time of statements that a tenant may use while it contends, before its pages are paced: a token bucket that its share refills. */
export interface PageAllowance {
  isSpent(owner: SlotOwner): boolean;
  /** Runs a statement and charges its time, if the tenant contends. */
  charge<Value>(owner: SlotOwner, statement: () => Promise<Value>): Promise<Value>;
}

interface Balance {
  ms: number;
  updatedMs: number;
}

/** Full balances are dropped above this number. */
const sweepFrom = 256;

export function createPageAllowance(
  contention: Pick<TenantContention, 'getShare' | 'contendedShare'>,
  now: () => number,
): PageAllowance {
  const balances = new Map<string, Balance>();

  const settle = ({ tenantId }: SlotOwner, share: number): Balance => {
    const nowMs = now();
    const { ms, updatedMs } = balances.get(tenantId) ?? { ms: pageBurstMs, updatedMs: nowMs };
    const balance = { ms: Math.min(pageBurstMs, ms + share * (nowMs - updatedMs)), updatedMs: nowMs };
    balances.set(tenantId, balance);
    return balance;
  };

  const sweep = (): void => {
    for (const [tenantId, { ms, updatedMs }] of balances)
      if (ms + contention.contendedShare * (now() - updatedMs) >= pageBurstMs) balances.delete(tenantId);
  };

  return {
    isSpent: (owner) => settle(owner, contention.getShare(owner)).ms <= 0,
    async charge(owner, statement) {
      const startedMs = now();
      try {
        return await statement();
      } finally {
        const share = contention.getShare(owner);
        if (share < 1) {
          if (balances.size >= sweepFrom) sweep();
          settle(owner, share).ms -= now() - startedMs;
        }
      }
    },
  };
}
