import { tailWaitMaxSeconds } from '../limits.ts';

/** The seconds of `Prefer: wait=N` (RFC 7240), at most those that a request may wait; null without it, and for 0. */
export function readPreferredWait(prefer: string | readonly string[] | undefined): number | null {
  const preferences = [prefer ?? []].flat().join().split(',');
  for (const preference of preferences) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(preference) ?? [];
    if (seconds !== undefined) return Math.min(Number(seconds), tailWaitMaxSeconds) || null;
  }
  return null;
}
