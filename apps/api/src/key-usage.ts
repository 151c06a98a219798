import type { Log } from '@tenantscope/runtime';
import type { Keys } from '@tenantscope/store';
import { usageFlushMs } from './limits.ts';

export interface KeyUsageCount extends AsyncDisposable {
  /** Remembers a request of a key; costs the request nothing. */
  count(keyId: string): void;
}

/** Counts in memory and hands the counts over each 15 s and at the end: last use is visible well within a minute. */
export function countKeyUsage(keys: Keys, log: Log): KeyUsageCount {
  let counted = new Map<string, { requests: number; lastUsedAtMs: number }>();
  const flush = async () => {
    if (counted.size === 0) return;
    const batch = counted;
    counted = new Map();
    try {
      await keys.addUsage([...batch].map(([keyId, usage]) => ({ keyId, ...usage })));
    } catch (error) {
      log.warn({ err: error }, 'key usage could not be written and is kept for the next time');
      for (const [keyId, usage] of batch) add(keyId, usage.requests, usage.lastUsedAtMs);
    }
  };
  const add = (keyId: string, requests: number, lastUsedAtMs: number) => {
    const before = counted.get(keyId);
    counted.set(keyId, {
      requests: requests + (before?.requests ?? 0),
      lastUsedAtMs: Math.max(lastUsedAtMs, before?.lastUsedAtMs ?? 0),
    });
  };
  const timer = setInterval(() => void flush(), usageFlushMs);
  return {
    count: (keyId) => add(keyId, 1, Date.now()),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await flush();
    },
  };
}
