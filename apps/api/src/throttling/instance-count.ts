import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

/** How many processes count requests in the same Redis. */
export interface InstanceCount extends Disposable {
  /** The highest number of the last 20 seconds in which Redis responded; 1 before. A Redis that begins empty counts up again. */
  count(): number;
}

const key = 'tenantscope:rate:instances';
/** A process that just started is not known to the others for so long. */
const intervalMs = 2_000;
/** An instance that ended counts for so long: nine intervals that failed. */
const expirySeconds = 20;

/** Time of the server: clocks of instances differ. */
const script = `
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]))
return redis.call('ZCARD', KEYS[1])`;

/** Adds this process to a sorted set in Redis, by the time when it was last there, and counts its members. */
export function countInstances(redis: Redis, onError: (error: unknown) => void): InstanceCount {
  const id = randomUUID();
  let instances = 1;
  let countedAt = Number.NEGATIVE_INFINITY;
  const update = async () => {
    if (redis.status !== 'ready') return;
    try {
      const present = Number(await redis.eval(script, 1, key, id, expirySeconds));
      if (present < instances && performance.now() - countedAt < expirySeconds * 1_000) return;
      instances = present;
      countedAt = performance.now();
    } catch (error) {
      // Without a response the last count stays. A refused command is a matter of the ACL.
      if ((error as Error).name === 'ReplyError') onError(error);
    }
  };
  redis.on('ready', update);
  const timer = setInterval(update, intervalMs).unref();
  return {
    count: () => Math.max(1, instances),
    [Symbol.dispose]() {
      clearInterval(timer);
      redis.off('ready', update);
    },
  };
}
