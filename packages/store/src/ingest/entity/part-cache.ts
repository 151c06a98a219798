import type { CachedParts, EntityChange } from './entity-change.ts';

/**
 * The parts of entities that have many, such as the grants of an app: 10,000 consents are 20 MB, which a batch would read to
 * change one. Cached parts are those of the database if the entity's row still has their version and digest.
 */
export interface PartCache {
  /** Entities with fewer parts are read from the database, which is as fast. */
  readonly minParts: number;
  has(key: string): boolean;
  /** Removes what it returns: parts change before the transaction that writes them ends. */
  take(key: string): CachedParts | undefined;
  put(key: string, cached: CachedParts): void;
}

/** @param maxBytes of the parts' facts as JSON */
export function createPartCache({ minParts = 200, maxBytes = 64 * 1_048_576 } = {}): PartCache {
  const entries = new Map<string, { cached: CachedParts; bytes: number }>();
  let total = 0;
  const take = (key: string): CachedParts | undefined => {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    total -= entry.bytes;
    return entry.cached;
  };
  return {
    minParts,
    has: (key) => entries.has(key),
    take,
    put(key, cached) {
      take(key);
      if (cached.parts.size < minParts) return;
      const bytes = cached.parts.values().reduce((sum, part) => sum + measureFacts(part), 0);
      if (bytes > maxBytes) return;
      entries.set(key, { cached, bytes });
      total += bytes;
      // The entry that was put least recently comes first.
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) break;
        take(oldest);
      }
    },
  };
}

function measureFacts(part: EntityChange): number {
  const bytes = factBytes.get(part) ?? JSON.stringify(part.facts).length;
  factBytes.set(part, bytes);
  return bytes;
}

/** Measured once: an entity is put with each batch that changes it. */
const factBytes = new WeakMap<EntityChange, number>();
