import type { Log } from '@tenantscope/runtime';
import type { Keys, KeyUsage } from '@tenantscope/store';
import type { FastifyRequest } from 'fastify';
import { agentMaxLength, usageFlushMs } from './limits.ts';

/** A key that a request brought; `ended` when it was revoked or has expired. */
export interface UsedKey {
  readonly keyId: string;
  readonly ended: boolean;
}

export interface KeyUsageCount extends AsyncDisposable {
  /** Which key a request brought, to be counted when it is answered. */
  note(request: FastifyRequest, key: UsedKey): void;
  /** Remembers an answered request of a key; costs the request nothing. */
  count(request: FastifyRequest, status: number): void;
}

/** Counts in memory and hands the counts over each 15 s and at the end: last use is visible well within a minute. */
export function countKeyUsage(keys: Pick<Keys, 'addUsage'>, log: Log): KeyUsageCount {
  const noted = new WeakMap<FastifyRequest, UsedKey>();
  let counted = new Map<string, KeyUsage>();
  const flush = async () => {
    if (counted.size === 0) return;
    const batch = counted;
    counted = new Map();
    try {
      await keys.addUsage([...batch.values()]);
    } catch (error) {
      log.warn({ err: error }, 'key usage could not be written and is kept for the next time');
      for (const usage of batch.values()) add(usage);
    }
  };
  const add = (usage: KeyUsage) => {
    const before = counted.get(usage.keyId);
    counted.set(usage.keyId, before ? together(before, usage) : usage);
  };
  const timer = setInterval(() => void flush(), usageFlushMs);
  return {
    note: (request, key) => void noted.set(request, key),
    count(request, status) {
      const key = noted.get(request);
      if (key) add(usageOf(key, request, status));
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await flush();
    },
  };
}

function usageOf({ keyId, ended }: UsedKey, request: FastifyRequest, status: number): KeyUsage {
  return {
    keyId,
    requests: ended ? 0 : 1,
    refused: !ended && status >= 400 && status < 500 ? 1 : 0,
    overLimit: !ended && status === 429 ? 1 : 0,
    refusedAfterEnd: ended ? 1 : 0,
    lastUsedAtMs: Date.now(),
    lastAddress: request.ip,
    lastAgent: request.headers['user-agent']?.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, agentMaxLength) ?? null,
  };
}

function together(one: KeyUsage, other: KeyUsage): KeyUsage {
  const later = one.lastUsedAtMs > other.lastUsedAtMs ? one : other;
  return {
    ...later,
    requests: one.requests + other.requests,
    refused: one.refused + other.refused,
    overLimit: one.overLimit + other.overLimit,
    refusedAfterEnd: one.refusedAfterEnd + other.refusedAfterEnd,
  };
}
