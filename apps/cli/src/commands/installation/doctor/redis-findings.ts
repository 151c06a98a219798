import { describeRedisError, readConfig, readRedisConnection, redisVariables } from '@tenantscope/runtime';
import { Redis } from 'ioredis';
import { z } from 'zod';
import type { Environment } from '../../../connections/environment.ts';
import type { Finding } from './finding.ts';
import { listMissingRights } from './redis-rights.ts';

const subject = 'Redis, TENANTSCOPE_REDIS_URL';
const oldestVersion = 6;
const timeoutMs = 5_000;

/** Checks the login of the environment and its rights, if there is one, and that Redis evicts nothing: jobs are stored in it. */
export async function checkRedis(environment: Environment): Promise<readonly Finding[]> {
  if (!environment.TENANTSCOPE_REDIS_URL && !environment.TENANTSCOPE_REDIS_URL_FILE) return [];
  let redis: Redis | undefined;
  let reason: unknown;
  try {
    const { url, options } = readRedisConnection(readConfig(z.object(redisVariables), environment));
    redis = new Redis(url, {
      ...options,
      lazyConnect: true,
      connectTimeout: timeoutMs,
      commandTimeout: timeoutMs,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
      sentinelRetryStrategy: () => null,
    });
    // The reason of a refused connection is in this event only; the command reports a closed one.
    redis.on('error', (error) => {
      reason = error;
    });
    await redis.connect();
    const server = describeServer(parseInfo(await redis.info()));
    const missing = await listMissingRights(redis, environment);
    return [
      ...server,
      ...missing.map((detail): Finding => ({ subject: 'Redis, rights of the login', result: 'failed', detail })),
    ];
  } catch (error) {
    return [{ subject, result: 'failed', detail: describeRedisError(reason ?? error) ?? (error as Error).message }];
  } finally {
    redis?.disconnect();
  }
}

function describeServer(info: ReadonlyMap<string, string>): readonly Finding[] {
  const version = info.get('redis_version') ?? '';
  const policy = info.get('maxmemory_policy') ?? '';
  if (Number.parseInt(version, 10) < oldestVersion)
    return [{ subject, result: 'failed', detail: `version ${version}; use ${oldestVersion} or later` }];
  if (policy !== 'noeviction')
    return [{ subject, result: 'failed', detail: `maxmemory-policy is ${policy}, which deletes jobs; set noeviction` }];
  return [{ subject, result: 'ok', detail: `version ${version}, maxmemory-policy ${policy}` }];
}

function parseInfo(text: string): ReadonlyMap<string, string> {
  return new Map(text.split('\r\n').map((line) => line.split(':', 2) as [string, string]));
}
