import { ApiError } from '@tenantscope/contract';
import { RateLimiterRes } from 'rate-limiter-flexible';

/** Where a caller stands in its window of requests. */
export interface Budget {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsInMs: number;
  readonly exceeded: boolean;
}

export function budgetOf(limit: number, result: RateLimiterRes, exceeded: boolean): Budget {
  return {
    limit,
    remaining: exceeded ? 0 : Math.max(0, Math.min(limit, result.remainingPoints)),
    resetsInMs: Math.max(0, result.msBeforeNext),
    exceeded,
  };
}

/** The three headers: integers, the reset in epoch seconds. */
export function budgetHeaders(budget: Budget, nowMs = Date.now()): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(budget.limit),
    'X-RateLimit-Remaining': String(budget.remaining),
    'X-RateLimit-Reset': String(Math.ceil((nowMs + budget.resetsInMs) / 1000)),
  };
}

export function budgetExceeded(budget: Budget, words: string): ApiError {
  const seconds = Math.max(1, Math.ceil(budget.resetsInMs / 1000));
  return new ApiError('RATE_LIMITED', `${words} Wait ${seconds} s and repeat the request.`, undefined, {
    ...budgetHeaders(budget),
    'Retry-After': String(seconds),
  });
}

/** The limiter rejects with its result when the budget is used up, and with an Error when it could not count. */
export async function consume(limit: number, count: () => Promise<RateLimiterRes>): Promise<Budget> {
  try {
    return budgetOf(limit, await count(), false);
  } catch (result) {
    if (result instanceof RateLimiterRes) return budgetOf(limit, result, true);
    throw result;
  }
}
