import type { Budget } from './budget.ts';

/** Windows counted in this process, for as long as nobody else can be asked. */
export interface OwnWindows {
  /** Counts a request here. `unreported`: the shared count has certainly not heard of it. */
  count(keyId: string, unreported: boolean): Budget;
  /** Takes over what the shared count says, so that counting here goes on from there. */
  follow(keyId: string, budget: Budget): void;
  /** How many requests of the window the shared count has yet to hear of; they count as told from now on. */
  takeUnreported(keyId: string): number;
}

interface Window {
  used: number;
  unreported: number;
  resetsAtMs: number;
}

const sweepFrom = 10_000;

export function createOwnWindows(limit: number, windowMs: number, nowMs = () => performance.now()): OwnWindows {
  const windows = new Map<string, Window>();
  let sweepAt = sweepFrom;

  const windowOf = (keyId: string): Window => {
    const now = nowMs();
    const known = windows.get(keyId);
    if (known && known.resetsAtMs > now) return known;
    const fresh = { used: 0, unreported: 0, resetsAtMs: now + windowMs };
    windows.set(keyId, fresh);
    if (windows.size > sweepAt) sweep(now);
    return fresh;
  };
  const sweep = (now: number) => {
    for (const [keyId, { resetsAtMs }] of windows) if (resetsAtMs <= now) windows.delete(keyId);
    sweepAt = Math.max(sweepFrom, windows.size * 2);
  };

  return {
    count(keyId, unreported) {
      const window = windowOf(keyId);
      const exceeded = window.used >= limit;
      if (!exceeded) window.used += 1;
      if (!exceeded && unreported) window.unreported += 1;
      return { limit, remaining: limit - window.used, resetsInMs: window.resetsAtMs - nowMs(), exceeded };
    },
    follow(keyId, budget) {
      const window = windowOf(keyId);
      window.used = budget.limit - budget.remaining;
      window.resetsAtMs = nowMs() + budget.resetsInMs;
    },
    takeUnreported(keyId) {
      const window = windowOf(keyId);
      const { unreported } = window;
      window.unreported = 0;
      return unreported;
    },
  };
}
