import type { FactsDigest } from '@tenantscope/compliance';
import { LRUCache } from 'lru-cache';

/** The last status of each tenant, for as long as its facts are unchanged and it is young enough. */
export interface StatusCache {
  /** Whether there may be a status, so that a lookup is worth its query. */
  has(tenant: CachedTenant): boolean;
  /** Null: the facts changed, or the status is too old. */
  find(tenant: CachedTenant, facts: FactsDigest): CachedStatus | null;
  /** `facts` were read in the snapshot that the status was evaluated in. */
  store(tenant: CachedTenant, facts: FactsDigest, body: Buffer): void;
}

export interface CachedTenant {
  readonly id: string;
  /** A fact of the control database, which the digest does not cover. */
  readonly connectedAtMs: number;
}

export interface StatusCacheOptions {
  /** Bounds what only the clock changes: periods that end now. 0: nothing is cached. */
  readonly maxAgeMs: number;
  readonly maxBytes: number;
  readonly onLookup: (result: 'hit' | 'miss') => void;
}

/** The body of a status and the facts that it was evaluated from, with the time at which it was. */
export interface CachedStatus {
  readonly facts: FactsDigest;
  readonly body: Buffer;
}

export function createStatusCache({ maxAgeMs, maxBytes, onLookup }: StatusCacheOptions): StatusCache {
  const entries = new LRUCache<string, CachedStatus>({ maxSize: maxBytes, sizeCalculation: ({ body }) => body.length });
  const keyOf = ({ id, connectedAtMs }: CachedTenant): string => `${id} ${connectedAtMs}`;
  return {
    has: (tenant) => entries.has(keyOf(tenant)),
    find(tenant, { sha256, nowMs }) {
      const entry = entries.get(keyOf(tenant));
      const ageMs = entry ? nowMs - entry.facts.nowMs : Number.NaN;
      // A clock that was set back says nothing about the age.
      const isCurrent = entry !== undefined && entry.facts.sha256 === sha256 && ageMs >= 0 && ageMs < maxAgeMs;
      onLookup(isCurrent ? 'hit' : 'miss');
      return isCurrent ? entry : null;
    },
    store(tenant, facts, body) {
      if (maxAgeMs > 0) entries.set(keyOf(tenant), { facts, body });
    },
  };
}
