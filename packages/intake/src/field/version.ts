import { dayMs } from '@tenantscope/contract';
import { type Rejection, reject } from '../message/rejection.ts';

/**
 * A version more than a day ahead of the clock would make every later state of its record stale: the row would never change again. Versions
 * are the microseconds of a time, or a counter, which is smaller; nanoseconds exceed 2^53 and are no version at all.
 */
export function checkVersion(version: number, nowMs: number): Rejection | null {
  if (version <= (nowMs + dayMs) * 1_000) return null;
  return reject(
    'FUTURE_VERSION',
    'member version is more than a day ahead of the clock in microseconds; send the state with the microseconds of its change',
  );
}

/** The same for a state whose version is the milliseconds of its last modification. */
export function checkModificationTime(modifiedAtMs: number, nowMs: number): Rejection | null {
  if (modifiedAtMs <= nowMs + dayMs) return null;
  return reject(
    'FUTURE_VERSION',
    'the modification time, which orders the states, is more than a day ahead of the clock',
  );
}
