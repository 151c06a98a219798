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
  /** Entries that have failed are last, those with the fewest failures first: they do not delay the others. */
  sort(entries: readonly Entry[]): readonly Entry[];
  /** Counts a failure. `gaps`: the entry is left out. `counted`: the run fails, and the other entries can be loaded. Null: it is no failure of the entry, and the run ends. */
  count(
    entry: Pick<Entry, 'id' | 'timeMs'>,
    error: unknown,
  ): { readonly gaps: readonly CollectionGap[] } | 'counted' | null;
  /** The entry was loaded. */
  clear(id: Entry['id']): void;
  forget(beforeMs: number): void;
  store(): StoredFailures;
}

export function createEntryFailures(stored: unknown): EntryFailures {
  const failed = new Map((Array.isArray(stored) ? (stored as StoredFailures) : []).map((one) => [one[0], one]));
  const countRuns = (id: Entry['id']) => failed.get(digestKey(id))?.[1] ?? 0;
  return {
    sort(entries) {
      if (failed.size === 0) return entries;
      const counted = entries.map((entry) => ({ entry, runs: countRuns(entry.id) }));
      return counted.toSorted((a, b) => a.runs - b.runs).map(({ entry }) => entry);
    },
    count({ id, timeMs }, error) {
      if (!isOfEntry(error)) return null;
      const key = digestKey(id);
      const runs = countRuns(id) + 1;
      failed.set(key, [key, runs, timeMs]);
      if (runs < runsMax) return 'counted';
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
