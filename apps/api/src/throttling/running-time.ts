import { type Group, nameGroup, type SlotOwner } from './group-counter.ts';

/** How long the requests of a group run: so many at once on average, and `burstMs` of running time above it. */
export interface TimeBudget {
  readonly sustained: number;
  readonly burstMs: number;
}

export interface RunningTime {
  /** Counts a request that starts or ends. */
  add(owner: SlotOwner, amount: 1 | -1): void;
  isExhausted(group: Group, owner: SlotOwner): boolean;
  /** Number of accounts in memory. */
  readonly accounts: number;
}

interface Account {
  running: number;
  balanceMs: number;
  updatedMs: number;
}

/** Accounts at rest are dropped above this number, so that groups without requests take no memory. */
const accountsMax = 256;

/**
 * Charges keys and tenants for the time that their requests run, as token buckets. A client that sends one request after the other is never over its
 * budget, however slow they are: only requests that run at once spend more than the refill.
 */
export function createRunningTime({ sustained, burstMs }: TimeBudget, now: () => number): RunningTime {
  const accounts = new Map<string, Account>();

  const settle = (account: Account): Account => {
    const nowMs = now();
    const earned = (sustained - account.running) * (nowMs - account.updatedMs);
    account.balanceMs = Math.min(burstMs, account.balanceMs + earned);
    account.updatedMs = nowMs;
    return account;
  };
  const isAtRest = ({ running, balanceMs }: Account) => running === 0 && balanceMs >= burstMs;
  const open = (name: string): Account => {
    if (accounts.size >= accountsMax)
      for (const [other, account] of accounts) if (isAtRest(settle(account))) accounts.delete(other);
    const account = { running: 0, balanceMs: burstMs, updatedMs: now() };
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
        const account = settle(accounts.get(name) ?? open(name));
        account.running += amount;
        if (isAtRest(account)) accounts.delete(name);
      }
    },
    isExhausted(group, owner) {
      const name = nameGroup(group, owner);
      const account = name === null ? undefined : accounts.get(name);
      return account !== undefined && settle(account).balanceMs <= 0;
    },
  };
}
