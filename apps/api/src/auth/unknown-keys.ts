import type { KeyDirectory } from '@tenantscope/store/api-key';
import { LRUCache } from 'lru-cache';
import { serviceUnavailable } from '../http/error-response.ts';
import { keysPerCheck, rememberedKeys, unknownKeyTtlMs, waitingKeysMax } from '../limits.ts';

/** A directory that remembers which keys it found. */
export interface GuardedKeys extends KeyDirectory {
  /** The id of a key that was found before, revoked or not: it never changes. Null for all others. */
  findId(secretSha256: Buffer): string | null;
}

/**
 * Keeps unknown keys away from the connections of the directory. Keys that were never seen are checked together, one statement at a time, and
 * an unknown one is remembered for 10 s. A key that was found before skips the check, so a flood of invented keys does not delay it. Of a found
 * key only its id is cached: the directory is queried for every request of an existing key.
 *
 * A new key works at once: its 256 random bits are shown after the commit, so no client can have sent it before.
 */
export function guardKeyDirectory(directory: KeyDirectory): GuardedKeys {
  const found = new LRUCache<string, string>({ max: rememberedKeys });
  const unknown = new LRUCache<string, true>({ max: rememberedKeys, ttl: unknownKeyTtlMs });
  const exists = createExistenceCheck(directory);
  return {
    async lookUp(secretSha256, tenantSelector, listTenants) {
      const id = secretSha256.toString('base64');
      if (unknown.has(id)) return null;
      if (!found.get(id) && !(await exists(id))) {
        unknown.set(id, true);
        return null;
      }
      const record = await directory.lookUp(secretSha256, tenantSelector, listTenants);
      if (record) found.set(id, 'endedKeyId' in record ? record.endedKeyId : record.keyId);
      return record;
    },
    findId: (secretSha256) => found.get(secretSha256.toString('base64')) ?? null,
    findExisting: (hashes) => directory.findExisting(hashes),
    addUsage: (usage) => directory.addUsage(usage),
    findTimeZone: (tenantId) => directory.findTimeZone(tenantId),
    ping: () => directory.ping(),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** Checks keys in batches: what arrives while one is being checked is the next. */
function createExistenceCheck(directory: Pick<KeyDirectory, 'findExisting'>): (id: string) => Promise<boolean> {
  const waiting = new Map<string, PromiseWithResolvers<boolean>>();
  let checking = false;

  const checkWaiting = async () => {
    checking = true;
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, keysPerCheck);
      for (const [id] of batch) waiting.delete(id);
      try {
        const existing = await directory.findExisting(batch.map(([id]) => Buffer.from(id, 'base64')));
        const ids = new Set(existing.map((hash) => hash.toString('base64')));
        for (const [id, { resolve }] of batch) resolve(ids.has(id));
      } catch (error) {
        for (const [, { reject }] of batch) reject(error);
      }
    }
    checking = false;
  };

  return (id) => {
    let check = waiting.get(id);
    if (!check) {
      if (waiting.size >= waitingKeysMax)
        throw serviceUnavailable('Too many keys that were never used before arrive at once.');
      check = Promise.withResolvers<boolean>();
      waiting.set(id, check);
      if (!checking) void checkWaiting();
    }
    return check.promise;
  };
}
