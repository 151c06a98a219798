import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = 1_000;

/** Repeats the start of a process once a second until it succeeds. Throws an error that `isRetryable` does not accept. */
export async function retryEverySecond<Value>(
  work: () => Promise<Value>,
  { isRetryable, onRetry }: { isRetryable(error: unknown): boolean; onRetry(error: unknown): void },
): Promise<Value> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      onRetry(error);
      await sleep(pauseMs);
    }
  }
}
