import type { CollectionGap } from '@tenantscope/store/collect';
import type { Page } from '../provider.ts';
import type { EntryFailures } from './entry-failures.ts';
import type { PublishedKeys } from './published-keys.ts';
import type { Entry, Loaded } from './window-source.ts';

const batchMaxRecords = 1_000;
const batchMaxBytes = 4 * 1_048_576;
/** What a killed process publishes again is at most the work of this time. */
const batchMaxMs = 1_000;

/**
 * Loads the entries that were not published, in batches that are published before one position is stored. What was loaded before a failure is published too, so that the next run does not load
 * it again.
 */
export async function* loadBatches(
  entries: readonly Entry[],
  { keys, failures }: { readonly keys: PublishedKeys; readonly failures: EntryFailures },
): AsyncGenerator<LoadedBatch> {
  let batch = createBatch();
  for (const entry of entries) {
    if (keys.has(entry.id)) continue;
    try {
      batch.add(await entry.load(), entry.timeMs);
      failures.clear(entry.id);
      keys.add(entry.id, entry.timeMs);
    } catch (error) {
      const leftOut = failures.count(entry, error);
      if (leftOut === null) {
        if (!batch.isEmpty()) yield batch;
        throw error;
      }
      batch.add({ records: [], gaps: leftOut.gaps }, entry.timeMs);
    }
    if (!batch.isFull()) continue;
    yield batch;
    batch = createBatch();
  }
  if (!batch.isEmpty()) yield batch;
}

/** Times are those of the entries. */
export type LoadedBatch = Loaded & Required<Pick<Page, 'times'>>;

function createBatch() {
  const records: Buffer[] = [];
  const times: number[] = [];
  const gaps: CollectionGap[] = [];
  const startedAtMs = performance.now();
  let bytes = 0;
  return {
    records,
    times,
    gaps,
    add(loaded: Loaded, timeMs: number): void {
      gaps.push(...loaded.gaps);
      for (const record of loaded.records) {
        records.push(record);
        times.push(timeMs);
        bytes += record.length;
      }
    },
    isEmpty: () => records.length + gaps.length === 0,
    isFull: () =>
      records.length >= batchMaxRecords || bytes >= batchMaxBytes || performance.now() - startedAtMs > batchMaxMs,
  };
}
