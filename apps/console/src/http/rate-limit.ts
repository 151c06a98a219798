import { HttpError } from './http-error.ts';

const windowMs = 60_000;
const maxWindows = 10_000;

/** Allows `limit` calls per minute for each name, counted in this process. Throws RATE_LIMITED beyond. */
export function createRateLimit(limit: number): (name: string) => void {
  const windows = new Map<string, { startedAtMs: number; count: number }>();
  return (name) => {
    const nowMs = performance.now();
    const current = windows.get(name);
    if (current === undefined || nowMs - current.startedAtMs >= windowMs) {
      if (windows.size >= maxWindows) windows.clear();
      windows.set(name, { startedAtMs: nowMs, count: 1 });
      return;
    }
    if (current.count >= limit) {
      const seconds = Math.ceil((current.startedAtMs + windowMs - nowMs) / 1_000);
      throw new HttpError('RATE_LIMITED', `Rate limit of ${limit} per minute exceeded. Try again in ${seconds} s.`);
    }
    current.count += 1;
  };
}
