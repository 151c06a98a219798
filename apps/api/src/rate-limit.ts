import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { type Budget, consume } from './budget.ts';
import { requestsPerWindow, windowSeconds } from './limits.ts';
import { createOwnWindows } from './own-windows.ts';

/** After this many failures in a row Redis is left alone for a second: a hung one costs 60 ms a request until then. */
const failuresBeforePause = 3;
const pauseMs = 1_000;
const commandTimeoutMs = 60;
const connectTimeoutMs = 500;
const reconnectMaxMs = 1_000;

export interface RateLimit extends AsyncDisposable {
  /** Counts one request of a key. Never fails and never waits longer than a Redis command may take. */
  spend(keyId: string): Promise<Budget>;
  /** Whether counting happens in this process alone. */
  degraded(): boolean;
}

/**
 * A fixed window per key, shared by all instances through Redis. With Redis down or hung this process counts by itself, from where the
 * shared count stood, and tells it afterwards: limits stay bounded and reads go on.
 */
export function createRateLimit(redisUrl: string): RateLimit {
  const redis = new Redis(redisUrl, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: connectTimeoutMs,
    retryStrategy: (attempt) => Math.min(50 * attempt, reconnectMaxMs),
  });
  // Each failed connect is told here; `degraded` says what matters.
  redis.on('error', () => {});
  const shared = new RateLimiterRedis({
    points: requestsPerWindow,
    duration: windowSeconds,
    storeClient: redis,
    keyPrefix: 'tenantscope:rate',
    rejectIfRedisNotReady: true,
  });
  const own = createOwnWindows(requestsPerWindow, windowSeconds * 1_000);
  let failuresInARow = 0;
  let pausedUntil = 0;

  const unreachable = () => redis.status !== 'ready' || performance.now() < pausedUntil;
  return {
    degraded: unreachable,
    async spend(keyId) {
      if (unreachable()) return own.count(keyId, true);
      const untold = own.takeUnreported(keyId);
      try {
        const budget = await consume(requestsPerWindow, () => shared.consume(keyId, 1 + untold));
        own.follow(keyId, budget);
        failuresInARow = 0;
        return budget;
      } catch {
        failuresInARow += 1;
        if (failuresInARow >= failuresBeforePause) pausedUntil = performance.now() + pauseMs;
        // A command that timed out was sent: a Redis that only was slow has counted it.
        return own.count(keyId, false);
      }
    },
    async [Symbol.asyncDispose]() {
      redis.disconnect();
    },
  };
}
