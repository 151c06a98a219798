import type { CollectionGap } from '@tenantscope/store/collect';
import type { Page } from '../provider.ts';
import type { EntryFailures } from './entry-failures.ts';
import type { PublishedKeys } from './published-keys.ts';
import type { Entry, Loaded } from './window-source.ts';

const batchMaxRecords = 1_000;
const batchMaxBytes = 4 * 1_048_576;
/** What a killed process publishes again is at most the work of this time. */
const batchMaxMs = 1_000;
/** Entries of a page that fail in one run. Of a provider that fails for all content, each is a request that a run repeats. */
const failedMax = 10;
/** Time-outs of ten entries would take the process for ten minutes. */
const failedMaxMs = 60_000;

/**
 * Loads the entries that were not published, in batches that are published before one position is stored. After an entry that fails the others are loaded, and the run fails at the end of
 * the page. What was loaded is published, so that the next run does not load it again.
 */
export async function* loadBatches(
  entries: readonly Entry[],
  { keys, failures }: { readonly keys: PublishedKeys; readonly failures: EntryFailures },
): AsyncGenerator<LoadedBatch> {
  const startedAtMs = performance.now();
  let batch = createBatch();
  const failed: unknown[] = [];
  for (const entry of failures.sort(entries)) {
    if (keys.has(entry.id)) continue;
    try {
      batch.add(await entry.load(), entry.timeMs);
      failures.clear(entry.id);
      keys.add(entry.id, entry.timeMs);
    } catch (error) {
      const counted = failures.count(entry, error);
      if (counted === null) {
        // Such as a limit of the rate, which decides when the next run is, whatever failed before.
        failed.unshift(error);
        break;
      }
      if (counted === 'counted') {
        failed.push(error);
        if (failed.length >= failedMax || performance.now() - startedAtMs > failedMaxMs) break;
        continue;
      }
      batch.add({ records: [], gaps: counted.gaps }, entry.timeMs);
    }
    if (!batch.isFull()) continue;
    yield batch;
    batch = createBatch();
  }
  if (!batch.isEmpty()) yield batch;
  if (failed.length > 0) throw failed[0];
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
