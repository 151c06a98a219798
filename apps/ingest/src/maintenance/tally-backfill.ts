import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@tenantscope/runtime';
import { backfillLogTally, type Ledger, listUnfinishedTallies, longestStepMs } from '@tenantscope/store/ingest';

/** Until twice as many rows may take as long as a statement of ingest at most. */
const shortMs = 5_000;
/** The rows of a second are few. */
const shortestStepMs = 1_000;

export interface TallyBackfillOptions {
  readonly models: Ledger;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Between two looks for backfills, and after a step that failed; a minute by default. */
  readonly intervalMs?: number;
}

/**
 * Counts rows that were written before a tally existed, a step of each tally in turn, and rests as long as a step took: ingestion goes on next to it. A step
 * that failed is repeated with half of its time, since millions of rows may have been discovered within one hour. Every process looks once a minute; of several
 * one at a time counts for a tally.
 */
export function startTallyBackfill({ models, log, intervalMs = 60_000 }: TallyBackfillOptions): AsyncDisposable {
  const stop = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: stop.signal }).catch(() => {});
  const next = new Map<string, { readonly stepMs: number; readonly notBeforeMs: number }>();

  /** Returns whether rows were counted. */
  const runStep = async (tally: string): Promise<boolean> => {
    const startedMs = performance.now();
    const { stepMs, notBeforeMs } = next.get(tally) ?? { stepMs: longestStepMs, notBeforeMs: 0 };
    if (stop.signal.aborted || startedMs < notBeforeMs) return false;
    try {
      const hasStep = await backfillLogTally(models.pool, { tally, stepMs });
      const tookMs = performance.now() - startedMs;
      next.set(tally, { stepMs: tookMs < shortMs ? Math.min(stepMs * 2, longestStepMs) : stepMs, notBeforeMs: 0 });
      await pause(tookMs);
      return hasStep;
    } catch (error) {
      log.warn({ err: error, tally, stepMs }, 'counting rows for a new tally failed; retrying with fewer rows');
      const shorterMs = Math.max(Math.floor(stepMs / 2), shortestStepMs);
      next.set(tally, { stepMs: shorterMs, notBeforeMs: performance.now() + intervalMs });
      return false;
    }
  };
  const runSteps = async () => {
    for (let steps = 0; ; ) {
      const before = steps;
      for (const tally of await listUnfinishedTallies(models.pool)) if (await runStep(tally)) steps++;
      if (steps > before) continue;
      if (steps > 0) log.info({ steps }, 'rows of the log were counted for new tallies');
      return;
    }
  };
  const run = async () => {
    while (!stop.signal.aborted) {
      await runSteps().catch((error: unknown) =>
        log.warn({ err: error }, 'unfinished tallies were not read; retrying'),
      );
      await pause(intervalMs);
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
