import { setTimeout as sleep } from 'node:timers/promises';

/** After each step, relative to its duration: background work takes a third of the time at most. */
const usualRestFactor = 2;
const restMaxMs = 2_000;

/** What a pass runs its steps with. */
export interface PassContext {
  /** Aborts when the passes end. */
  readonly signal: AbortSignal;
  /** Runs a step, then rests for `restFactor` times its duration, twice by default. After a failure there is no rest. */
  runStep<Value>(step: () => Promise<Value>, restFactor?: number): Promise<Value>;
}

/** Runs a pass, which handles its errors, again and again until it is disposed. */
export function repeatPasses(
  intervalMs: number,
  runPass: (context: PassContext) => Promise<void>,
  wait = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }),
): AsyncDisposable {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number) => wait(ms, signal).catch(() => {});
  const runStep = async <Value>(step: () => Promise<Value>, restFactor = usualRestFactor): Promise<Value> => {
    const startedMs = performance.now();
    const value = await step();
    await pause(Math.min((performance.now() - startedMs) * restFactor, restMaxMs));
    return value;
  };
  const run = async () => {
    while (!signal.aborted) {
      await runPass({ signal, runStep });
      await pause(intervalMs);
    }
  };
  const running = run();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  };
}
