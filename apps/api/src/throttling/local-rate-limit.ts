import type { RateLimitStatus } from './rate-limit-status.ts';

/** Rate limit windows of this process, used while the shared counter is unavailable. */
export interface LocalRateLimit {
  /** Counts a request locally. `unreported`: the shared counter has certainly not counted it. */
  count(keyId: string, unreported: boolean): RateLimitStatus;
  /** Takes a counted request back. `unreported`: the shared counter has certainly not counted it. */
  takeBack(keyId: string, unreported: boolean): RateLimitStatus;
  /** Adopts the shared count, so that local counting continues from it. */
  synchronize(keyId: string, status: RateLimitStatus): void;
  /** The number of requests in the window that the shared counter lacks; they count as reported from now on. */
  takeUnreported(keyId: string): number;
}

interface Window {
  used: number;
  /** Of those, the ones that were counted here since the shared count was known. */
  own: number;
  unreported: number;
  resetsAtMs: number;
}

const sweepFrom = 10_000;

/**
 * @param share requests of a window that this process may accept without the shared counter: the shares of all instances are one limit, so that
 * a key never has more than two in a window, the shared one and these
 */
export function createLocalRateLimit(
  limit: number,
  windowMs: number,
  share: () => number = () => limit,
  nowMs = () => performance.now(),
): LocalRateLimit {
  const windows = new Map<string, Window>();
  let sweepAt = sweepFrom;

  const currentWindow = (keyId: string): Window => {
    const now = nowMs();
    const existing = windows.get(keyId);
    if (existing && existing.resetsAtMs > now) return existing;
    const fresh = { used: 0, own: 0, unreported: 0, resetsAtMs: now + windowMs };
    windows.set(keyId, fresh);
    if (windows.size > sweepAt) sweep(now);
    return fresh;
  };
  const remaining = ({ used, own }: Window): number => Math.max(0, Math.min(limit - used, share() - own));
  const sweep = (now: number) => {
    for (const [keyId, { resetsAtMs }] of windows) if (resetsAtMs <= now) windows.delete(keyId);
    sweepAt = Math.max(sweepFrom, windows.size * 2);
  };

  return {
    count(keyId, unreported) {
      const window = currentWindow(keyId);
      const exceeded = remaining(window) <= 0;
      if (!exceeded) {
        window.used += 1;
        window.own += 1;
        if (unreported) window.unreported += 1;
      }
      return { limit, remaining: remaining(window), resetsInMs: window.resetsAtMs - nowMs(), exceeded };
    },
    takeBack(keyId, unreported) {
      const window = currentWindow(keyId);
      window.used = Math.max(0, window.used - 1);
      window.own = Math.max(0, window.own - 1);
      if (unreported) window.unreported = Math.max(0, window.unreported - 1);
      return { limit, remaining: remaining(window), resetsInMs: window.resetsAtMs - nowMs(), exceeded: false };
    },
    synchronize(keyId, status) {
      const window = currentWindow(keyId);
      window.used = status.limit - status.remaining;
      window.own = 0;
      window.resetsAtMs = nowMs() + status.resetsInMs;
    },
    takeUnreported(keyId) {
      const window = currentWindow(keyId);
      const { unreported } = window;
      window.unreported = 0;
      return unreported;
    },
  };
}
