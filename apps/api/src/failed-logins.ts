import { RateLimiterMemory } from 'rate-limiter-flexible';
import { type Budget, consume } from './budget.ts';
import { failuresPerWindow, windowSeconds } from './limits.ts';
import { sourceOf } from './source-address.ts';

export interface FailedLogins {
  /** Counts a failure of an address; `exceeded` from the sixty-first in a minute on. */
  count(address: string): Promise<Budget>;
}

/** Counted in this process: guessing 256 bits is hopeless anyway, this keeps its noise away from the database and the log. */
export function countFailedLogins(): FailedLogins {
  const limiter = new RateLimiterMemory({ points: failuresPerWindow, duration: windowSeconds });
  return { count: (address) => consume(failuresPerWindow, () => limiter.consume(sourceOf(address))) };
}
