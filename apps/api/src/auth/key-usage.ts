import type { Log } from '@tenantscope/runtime';
import { type KeyDirectory, type KeyUsage, type KeyUse, secretPattern } from '@tenantscope/store/api-key';
import type { FastifyRequest } from 'fastify';
import { usageFlushMs, userAgentMaxLength } from '../limits.ts';

/** The key of a request; `ended` if it was revoked or has expired. */
export interface UsedKey {
  readonly keyId: string;
  readonly ended: boolean;
}

export interface KeyUsageCounter extends AsyncDisposable {
  /** Attaches the key to a request; it is counted with the response. */
  attachKey(request: FastifyRequest, key: UsedKey): void;
  /** The key of a request; null before one is attached. */
  findKey(request: FastifyRequest): UsedKey | null;
  /** Counts a completed request of a key, in memory only. */
  countResponse(request: FastifyRequest, status: number): void;
}

/** Counts in memory and writes the counts every 15 s and on shutdown, so that the last use is visible within a minute. */
export function createKeyUsageCounter(keys: Pick<KeyDirectory, 'addUsage'>, log: Log): KeyUsageCounter {
  const attached = new WeakMap<FastifyRequest, UsedKey>();
  let counted = new Map<string, KeyUsage>();
  const flush = async () => {
    if (counted.size === 0) return;
    const batch = counted;
    counted = new Map();
    try {
      await keys.addUsage([...batch.values()]);
    } catch (error) {
      log.warn({ err: error }, 'writing key usage failed; retrying with the next flush');
      for (const usage of batch.values()) add(usage);
    }
  };
  const add = (usage: KeyUsage) => {
    const before = counted.get(usage.keyId);
    counted.set(usage.keyId, before ? mergeUsage(before, usage) : usage);
  };
  const timer = setInterval(() => void flush(), usageFlushMs);
  return {
    attachKey: (request, key) => void attached.set(request, key),
    findKey: (request) => attached.get(request) ?? null,
    countResponse(request, status) {
      const key = attached.get(request);
      if (key) add(toUsage(key, request, status));
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await flush();
    },
  };
}

function toUsage({ keyId, ended }: UsedKey, request: FastifyRequest, status: number): KeyUsage {
  const use = {
    atMs: Date.now(),
    address: request.ip,
    agent: readUserAgent(request),
  };
  return {
    keyId,
    requests: ended ? 0 : 1,
    refused: !ended && status >= 400 && status < 500 ? 1 : 0,
    overLimit: !ended && status === 429 ? 1 : 0,
    refusedAfterEnd: ended ? 1 : 0,
    lastUse: ended ? null : use,
    lastRefusal: ended ? use : null,
  };
}

const secretPatterns = new RegExp(secretPattern, 'g');

/** Keys in the wrong header are not stored. */
export function readUserAgent({ headers }: FastifyRequest): string | null {
  const agent = headers['user-agent']?.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(secretPatterns, '[key]');
  return agent?.slice(0, userAgentMaxLength) ?? null;
}

function mergeUsage(one: KeyUsage, other: KeyUsage): KeyUsage {
  return {
    keyId: one.keyId,
    requests: one.requests + other.requests,
    refused: one.refused + other.refused,
    overLimit: one.overLimit + other.overLimit,
    refusedAfterEnd: one.refusedAfterEnd + other.refusedAfterEnd,
    lastUse: laterUse(one.lastUse, other.lastUse),
    lastRefusal: laterUse(one.lastRefusal, other.lastRefusal),
  };
}

const laterUse = (one: KeyUse | null, other: KeyUse | null): KeyUse | null =>
  one === null || (other !== null && other.atMs > one.atMs) ? other : one;
