import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable, QueryTimedOut, readErrorCode } from '@tenantscope/store/connection';

const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** Errors that go away without a change of ours: the database is unavailable, hung, full or busy. Never a reason for a dead letter. */
export const isTransientError = (error: unknown): boolean =>
  isUnavailable(error) || error instanceof QueryTimedOut || /^(57|55|40|25)/.test(readErrorCode(error));

/**
 * Errors of a row's content: SQLSTATE classes 22 (data exception), 23 (integrity constraint violation) and 54 (a limit of the
 * program, such as the length of an index entry).
 */
export const isDataError = (error: unknown): boolean => /^(22|23|54)/.test(readErrorCode(error));

export interface RetryOptions {
  shouldRetry(): boolean;
  onRetry(error: unknown, pauseMs: number): void;
}

/**
 * Repeats until the work succeeds; null when `shouldRetry` ends it. Only transient errors are retried. Pauses grow, with jitter, so that many
 * workers do not retry at the same time.
 */
export async function retryWhileUnavailable<Value>(
  work: () => Promise<Value>,
  { shouldRetry, onRetry }: RetryOptions,
): Promise<Value | null> {
  for (let attempt = 0; shouldRetry(); attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isTransientError(error)) throw error;
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** attempt) * (0.5 + Math.random() / 2);
      onRetry(error, pauseMs);
      await sleep(pauseMs);
    }
  }
  return null;
}
