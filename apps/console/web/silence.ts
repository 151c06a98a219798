import { NoAnswer, Refused } from './ask.ts';

/** Who it is that does not answer. */
export type Silent = 'console' | 'database';

/** Null: there was an answer, if only a refusal. */
export function silentOf(error: unknown): Silent | null {
  if (error instanceof NoAnswer) return 'console';
  if (!(error instanceof Refused)) return null;
  if (error.code === 'SERVICE_UNAVAILABLE') return 'database';
  // What stands in front of the console says that it cannot reach it.
  return [502, 503, 504].includes(error.status) ? 'console' : null;
}
