import type { RedisConnection } from '@tenantscope/runtime';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { requestsPerWindow, windowSeconds } from '../limits.ts';
import { countInstances } from './instance-count.ts';
import { createLocalRateLimit } from './local-rate-limit.ts';
import { consumePoint, type RateLimitStatus, toRateLimitStatus } from './rate-limit-status.ts';

/** After this many consecutive failures Redis is not contacted for a second: until then, a hung Redis costs each request 60 ms. */
const failuresBeforePause = 3;
const pauseMs = 1_000;
const commandTimeoutMs = 60;
const connectTimeoutMs = 500;
const reconnectMaxMs = 1_000;
/** A host that disappeared closes no connection; without this the kernel would repeat packets for a quarter of an hour. */
const socketTimeoutMs = 5_000;

export interface RateLimiter extends AsyncDisposable {
  /** Counts one request of a key. Never fails and never waits longer than a Redis command may take. */
  consume(keyId: string): Promise<RateLimitStatus>;
  /** Takes one counted request of a key back. A window that ended meanwhile gets nothing. Never fails, and waits no longer than `consume`. */
  takeBack(keyId: string): Promise<RateLimitStatus>;
  /** Whether requests are counted in this process only. */
  degraded(): boolean;
  /** How many processes share the limits; at the last time that Redis responded. */
  instances(): number;
}

/**
 * A fixed window per key, shared by all instances through Redis. While Redis is down or hung, this process counts locally, starting from the
 * last shared count, and reports its count to Redis afterwards: limits stay bounded and reads continue. Each instance accepts its share of the limit
 * then.
 */
export function createRateLimiter(
  connection: RedisConnection,
  onError: (error: unknown) => void = () => {},
): RateLimiter {
  const redis = new Redis(connection.url, {
    ...connection.options,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: connectTimeoutMs,
    socketTimeout: socketTimeoutMs,
    // Called with the options of the client as `this`, before each reconnection.
    retryStrategy(attempt) {
      Object.assign(this, connection.readLogin());
      return Math.min(50 * attempt, reconnectMaxMs);
    },
  });
  // Each failed connection attempt emits an error; `degraded` reports the state.
  redis.on('error', onError);
  const shared = new RateLimiterRedis({
    points: requestsPerWindow,
    duration: windowSeconds,
    storeClient: redis,
    keyPrefix: 'tenantscope:rate',
    rejectIfRedisNotReady: true,
  });
  const instances = countInstances(redis, onError);
  const local = createLocalRateLimit(requestsPerWindow, windowSeconds * 1_000, () =>
    Math.max(1, Math.floor(requestsPerWindow / instances.count())),
  );
  let failuresInARow = 0;
  let pausedUntil = 0;

  const unreachable = () => redis.status !== 'ready' || performance.now() < pausedUntil;
  return {
    degraded: unreachable,
    instances: instances.count,
    async consume(keyId) {
      if (unreachable()) return local.count(keyId, true);
      const unreported = local.takeUnreported(keyId);
      try {
        writeTogether(redis);
        const status = await consumePoint(requestsPerWindow, () => shared.consume(keyId, 1 + unreported));
        local.synchronize(keyId, status);
        failuresInARow = 0;
        return status;
      } catch (error) {
        // A refused command is a matter of the ACL; one without a reply is repeated for the next request.
        if ((error as Error).name === 'ReplyError') onError(error);
        failuresInARow += 1;
        if (failuresInARow >= failuresBeforePause) pausedUntil = performance.now() + pauseMs;
        // The timed-out command was sent: a Redis that is merely slow has counted it.
        return local.count(keyId, false);
      }
    },
    async takeBack(keyId) {
      if (unreachable()) return local.takeBack(keyId, true);
      try {
        const rewarded = await shared.reward(keyId, 1);
        const counted = rewarded.consumedPoints < 0 ? await shared.penalty(keyId, 1) : rewarded;
        const status = toRateLimitStatus(requestsPerWindow, counted, false);
        local.synchronize(keyId, status);
        return status;
      } catch {
        return local.takeBack(keyId, false);
      }
    },
    async [Symbol.asyncDispose]() {
      instances[Symbol.dispose]();
      redis.disconnect();
    },
  };
}

/** The commands for all requests that one iteration of the event loop receives are one write. */
function writeTogether({ stream }: Redis): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
