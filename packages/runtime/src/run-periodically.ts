import { setTimeout as sleep } from 'node:timers/promises';

/** Runs a task at once and then repeatedly, with a pause between two runs. Disposing waits for the current run. */
export function runPeriodically(pauseMs: number, run: () => Promise<void>): AsyncDisposable {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = (async () => {
    while (!signal.aborted) {
      await run();
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  };
}
