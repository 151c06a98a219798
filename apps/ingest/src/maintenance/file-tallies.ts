import type { Log } from '@tenantscope/runtime';
import { type Ledger, mergeFileTallies } from '@tenantscope/store/ingest';
import { repeatPasses } from './repeated-passes.ts';

const intervalMs = 60_000;

/** Merges counts of files, which lanes only add, so that documents read few of them. Any number of processes. */
export const startFileTallyMerges = ({ models, log }: { models: Ledger; log: Log }): AsyncDisposable =>
  repeatPasses(intervalMs, async ({ signal, runStep }) => {
    try {
      while (!signal.aborted && (await runStep(() => mergeFileTallies(models.pool))) > 0);
    } catch (error) {
      log.warn({ err: error }, 'merging counts of files failed; retrying in 60 s');
    }
  });
