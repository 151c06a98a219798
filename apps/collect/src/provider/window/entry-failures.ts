import type { CollectionGap } from '@tenantscope/store/collect';
import { describeGap } from '../collection-gap.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { digestKey } from './published-keys.ts';
import type { Entry } from './window-source.ts';

/** Half an hour to an hour with the delays between runs that fail. */
const runsMax = 12;

/** JSON: in how many runs each entry has failed. */
type StoredFailures = readonly (readonly [key: string, runs: number, timeMs: number])[];

/** Entries that could not be loaded. One that fails in run after run is a gap, and the others are loaded. It is requested again whenever it is listed again. */
export interface EntryFailures {
  /** Counts a failure. `gaps`: the entry is left out. Null: the run ends with the failure. */
  count(entry: Pick<Entry, 'id' | 'timeMs'>, error: unknown): { readonly gaps: readonly CollectionGap[] } | null;
  /** The entry was loaded. */
  clear(id: Entry['id']): void;
  forget(beforeMs: number): void;
  store(): StoredFailures;
}

export function createEntryFailures(stored: unknown): EntryFailures {
  const failed = new Map((Array.isArray(stored) ? (stored as StoredFailures) : []).map((one) => [one[0], one]));
  return {
    count({ id, timeMs }, error) {
      if (!isOfEntry(error)) return null;
      const key = digestKey(id);
      const runs = (failed.get(key)?.[1] ?? 0) + 1;
      failed.set(key, [key, runs, timeMs]);
      if (runs < runsMax) return null;
      const reason = `content that could not be fetched in ${runs} runs: ${error.message}`;
      return { gaps: runs === runsMax ? [describeGap(timeMs, timeMs, reason)] : [] };
    },
    clear: (id) => void failed.delete(digestKey(id)),
    forget(beforeMs) {
      for (const [key, , timeMs] of failed.values()) if (timeMs < beforeMs) failed.delete(key);
    },
    store: () => [...failed.values()],
  };
}

/** Limits of the rate and credentials concern the whole stream. */
const isOfEntry = (error: unknown): error is ProviderFailure =>
  error instanceof ProviderFailure && (error.kind === 'unavailable' || error.kind === 'invalid');
