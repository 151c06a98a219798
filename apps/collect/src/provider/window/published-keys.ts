import { createHash } from 'node:crypto';
import { hourMs } from '@tenantscope/contract';

/** 64 bits of a digest: of 50,000 keys the next one is equal to another with a probability of 3e-15. */
const keyLength = 11;
/** 550 kB in the stored position. What is forgotten is published again, and becomes no second row. */
const keysMax = 50_000;

/** JSON of the keys: for each hour, the keys of that hour in one text. */
export type StoredKeys = readonly (readonly [hourMs: number, keys: string])[];

/** What was published and may be listed again. */
export interface PublishedKeys {
  has(id: string | Buffer): boolean;
  add(id: string | Buffer, timeMs: number): void;
  /** Forgets what is older, and the oldest above the limit. */
  forget(beforeMs: number): void;
  store(): StoredKeys;
}

export function createPublishedKeys(stored: unknown): PublishedKeys {
  const hours = new Map<number, Set<string>>();
  const remembered = new Set<string>();
  const insert = (key: string, hour: number): void => {
    remembered.add(key);
    const keys = hours.get(hour);
    if (keys === undefined) hours.set(hour, new Set([key]));
    else keys.add(key);
  };
  for (const [hour, text] of Array.isArray(stored) ? (stored as StoredKeys) : [])
    for (let at = 0; at < text.length; at += keyLength) insert(text.slice(at, at + keyLength), hour);
  return {
    has: (id) => remembered.has(digestKey(id)),
    add: (id, timeMs) => insert(digestKey(id), Math.floor(timeMs / hourMs) * hourMs),
    forget(beforeMs) {
      for (const hour of [...hours.keys()].toSorted((a, b) => a - b)) {
        if (hour + hourMs > beforeMs && remembered.size <= keysMax) return;
        for (const key of hours.get(hour) ?? []) remembered.delete(key);
        hours.delete(hour);
      }
    },
    store: () => [...hours].map(([hour, keys]) => [hour, [...keys].join('')] as const),
  };
}

export function digestKey(id: string | Buffer): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, keyLength);
}
