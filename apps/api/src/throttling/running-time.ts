import type { TenantContention } from './contention.ts';
import { type Group, nameGroup, type SlotOwner } from './group-counter.ts';

/** How long the requests of a group run: so many at once on average, and `burstMs` of running time above it. */
export interface TimeBudget {
  readonly sustained: number;
  readonly burstMs: number;
  /** While tenants contend: how many requests run at once, and whether budget and refill are multiplied by the share of the tenant. */
  readonly contended: { readonly key: number; readonly tenant: number; readonly isReduced: boolean };
  /** While tenants contend, a request is charged for what it runs above twice the median of all: theirs are slow as well then, and not the cause. */
  readonly isUsualTimeFree: boolean;
}

export interface RunningTime {
  /** Counts a request that starts or ends. */
  add(owner: SlotOwner, amount: 1 | -1): void;
  /** Gives running time back to a tenant that contends with others. */
  credit(owner: SlotOwner, ms: number): void;
  /** How many requests of the group may run at once; infinite while its budget allows any number. */
  limit(group: Group, owner: SlotOwner): number;
  /** Ms until a request of the owner may run, at least; 0 if that does not depend on time. */
  getRefillMs(owner: SlotOwner): number;
  /** Number of accounts in memory. */
  readonly accounts: number;
}

interface Account {
  running: number;
  balanceMs: number;
  updatedMs: number;
}

export interface Conditions {
  /** A monotonic clock in ms. */
  now(): number;
  readonly contention: Pick<TenantContention, 'getShare' | 'contendedShare'>;
}

/** Accounts at rest are dropped above this number, so that groups without requests take no memory. */
const sweepFrom = 256;

/**
 * Charges keys and tenants for the time that their requests run, as token buckets. A client that sends one request after the other is over its budget
 * only while it contends with others, however slow they are: otherwise only requests that run at once spend more than the refill. While it contends,
 * refill and burst are multiplied by its share, and fewer requests of a group run at once.
 */
export function createRunningTime(
  { sustained, burstMs, contended }: TimeBudget,
  { now, contention }: Conditions,
): RunningTime {
  const accounts = new Map<string, Account>();
  let sweepAt = sweepFrom;

  const getBudgetShare = (owner: SlotOwner): number => (contended.isReduced ? contention.getShare(owner) : 1);
  const settle = (account: Account, owner: SlotOwner): Account => {
    const nowMs = now();
    const share = getBudgetShare(owner);
    const earned = (sustained * share - account.running) * (nowMs - account.updatedMs);
    account.balanceMs = Math.min(burstMs * share, account.balanceMs + earned);
    account.updatedMs = nowMs;
    return account;
  };
  /** Whether the balance is full, even if the tenant shared a saturated service all the time. */
  const isAtRest = ({ running, balanceMs, updatedMs }: Account, nowMs: number) =>
    running === 0 && balanceMs + sustained * contention.contendedShare * (nowMs - updatedMs) >= burstMs;
  const open = (name: string): Account => {
    const nowMs = now();
    if (accounts.size >= sweepAt) {
      for (const [other, account] of accounts) if (isAtRest(account, nowMs)) accounts.delete(other);
      sweepAt = Math.max(sweepFrom, accounts.size * 2);
    }
    const account = { running: 0, balanceMs: burstMs, updatedMs: nowMs };
    accounts.set(name, account);
    return account;
  };

  return {
    get accounts() {
      return accounts.size;
    },
    add(owner, amount) {
      for (const group of ['key', 'tenant'] as const) {
        const name = nameGroup(group, owner);
        if (name === null) continue;
        const account = settle(accounts.get(name) ?? open(name), owner);
        account.running += amount;
        if (isAtRest(account, account.updatedMs)) accounts.delete(name);
      }
    },
    credit(owner, ms) {
      const share = getBudgetShare(owner);
      if (share === 1) return;
      for (const group of ['key', 'tenant'] as const) {
        const account = accounts.get(nameGroup(group, owner) ?? '');
        if (account === undefined) continue;
        account.balanceMs = Math.min(burstMs * share, settle(account, owner).balanceMs + ms);
      }
    },
    limit(group, owner) {
      const name = nameGroup(group, owner);
      if (name === null || group === 'organization') return Number.POSITIVE_INFINITY;
      const account = accounts.get(name);
      const isSpent = account !== undefined && settle(account, owner).balanceMs <= 0;
      if (contention.getShare(owner) < 1) return isSpent ? 0 : contended[group];
      return isSpent ? sustained : Number.POSITIVE_INFINITY;
    },
    getRefillMs(owner) {
      if (contention.getShare(owner) === 1) return 0;
      const share = getBudgetShare(owner);
      const balances = (['key', 'tenant'] as const).map((group) => {
        const account = accounts.get(nameGroup(group, owner) ?? '');
        return account === undefined ? 0 : settle(account, owner).balanceMs;
      });
      return Math.max(0, -Math.min(...balances)) / (sustained * share);
    },
  };
}
