import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@tenantscope/runtime';
import { backfillLogTally, type Ledger } from '@tenantscope/store/ingest';

const intervalMs = 60_000;

/**
 * Counts rows that were written before a tally existed, step after step, and rests as long as a step took: ingestion goes on next to it. Every process
 * looks once a minute; of several one works at a time.
 */
export function startTallyBackfill({ models, log }: { models: Ledger; log: Log }): AsyncDisposable {
  const stop = new AbortController();
  const runSteps = async () => {
    for (let steps = 0; !stop.signal.aborted; steps++) {
      const startedMs = performance.now();
      if (!(await backfillLogTally(models.pool))) {
        if (steps > 0) log.info({ steps }, 'rows of the log were counted for new tallies');
        return;
      }
      await sleep(performance.now() - startedMs, undefined, { signal: stop.signal }).catch(() => {});
    }
  };
  const run = async () => {
    while (!stop.signal.aborted) {
      await runSteps().catch((error: unknown) =>
        log.warn({ err: error }, 'counting rows for a new tally failed; retrying in 60 s'),
      );
      await sleep(intervalMs, undefined, { signal: stop.signal }).catch(() => {});
    }
  };
  const running = run();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
