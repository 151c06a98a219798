import { normalizeClientAddress } from '@tenantscope/runtime';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { failedLoginsPerWindow, windowSeconds } from '../limits.ts';
import { consumePoint, type RateLimitStatus } from '../throttling/rate-limit-status.ts';

export interface FailedLoginLimit {
  /** Counts a failed login from an address; `exceeded` from the 61st within a minute. */
  count(address: string): Promise<RateLimitStatus>;
}

/** Counts in this process only: guessing 256 bits is infeasible, the limit protects the database and the log from the noise. */
export function createFailedLoginLimit(): FailedLoginLimit {
  const limiter = new RateLimiterMemory({ points: failedLoginsPerWindow, duration: windowSeconds });
  return {
    count: (address) => consumePoint(failedLoginsPerWindow, () => limiter.consume(normalizeClientAddress(address))),
  };
}
