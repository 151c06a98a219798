import type { JobMetrics } from './job-metrics.ts';

export interface InlineTask {
  /** What the task is about, for the log. */
  readonly fields: Record<string, unknown>;
  run(): Promise<void>;
}

export interface FallbackExecutor extends AsyncDisposable {
  /** Ignored while earlier tasks are running. */
  start(tasks: readonly InlineTask[]): void;
}

/**
 * Executes tasks in this process one after another, in a random order, so that several processes do not queue for the same tenant. Disposing waits for
 * the running task.
 */
export function createFallbackExecutor(metrics: JobMetrics): FallbackExecutor {
  let running: Promise<void> | null = null;
  let stopped = false;
  const runAll = async (tasks: readonly InlineTask[]) => {
    for (const { fields, run } of shuffle(tasks)) {
      if (stopped) return;
      metrics.recordInlineExecution(fields);
      await run().catch((error: unknown) => metrics.warn('inline execution failed; retrying', error));
    }
  };
  return {
    start(tasks) {
      if (running || tasks.length === 0) return;
      running = runAll(tasks).finally(() => {
        running = null;
      });
    },
    async [Symbol.asyncDispose]() {
      stopped = true;
      await running;
    },
  };
}

function shuffle<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
