import { ApiError } from '@tenantscope/contract';
import { RateLimiterRes } from 'rate-limiter-flexible';

/** The state of a caller's rate limit window. */
export interface RateLimitStatus {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsInMs: number;
  readonly exceeded: boolean;
}

export function toRateLimitStatus(limit: number, result: RateLimiterRes, exceeded: boolean): RateLimitStatus {
  return {
    limit,
    remaining: exceeded ? 0 : Math.max(0, Math.min(limit, result.remainingPoints)),
    resetsInMs: Math.max(0, result.msBeforeNext),
    exceeded,
  };
}

/** The rate limit headers: integers, the reset in epoch seconds. */
export function rateLimitHeaders(status: RateLimitStatus, nowMs = Date.now()): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(status.limit),
    'X-RateLimit-Remaining': String(status.remaining),
    'X-RateLimit-Reset': String(Math.ceil((nowMs + status.resetsInMs) / 1000)),
  };
}

export function rateLimitExceeded(status: RateLimitStatus, message: string): ApiError {
  const seconds = Math.max(1, Math.ceil(status.resetsInMs / 1000));
  return new ApiError('RATE_LIMITED', `${message} Wait ${seconds} s and repeat the request.`, undefined, {
    ...rateLimitHeaders(status),
    'Retry-After': String(seconds),
  });
}

/** The limiter rejects with its result when the limit is exceeded, and with an Error when it could not count. */
export async function consumePoint(limit: number, count: () => Promise<RateLimiterRes>): Promise<RateLimitStatus> {
  try {
    return toRateLimitStatus(limit, await count(), false);
  } catch (result) {
    if (result instanceof RateLimiterRes) return toRateLimitStatus(limit, result, true);
    throw result;
  }
}
