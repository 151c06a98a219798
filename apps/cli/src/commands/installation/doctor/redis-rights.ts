import { defaultCell, describeRedisError } from '@tenantscope/runtime';
import { type Redis, ReplyError } from 'ioredis';
import type { Environment } from '../../../connections/environment.ts';

type Command = readonly [name: string, ...args: string[]];

/** What the login of the environment's process may not do, as messages. Nothing is executed: the commands are queued in a transaction that is given up. */
export async function listMissingRights(redis: Redis, environment: Environment): Promise<readonly string[]> {
  const missing = new Set<string>();
  for (const [name, ...args] of listCommands(environment)) {
    const refusal = await redis.call(name, ...args).then(
      () => null,
      (error: unknown) => error,
    );
    if (refusal === null) continue;
    if (!(refusal instanceof ReplyError)) throw refusal;
    missing.add(describeRedisError(refusal));
    // Without the transaction the others would be executed.
    if (name === 'multi') break;
  }
  return [...missing];
}

/** Commands and keys of docs/operations/tls.md. The api alone has cursor secrets. */
function listCommands(environment: Environment): readonly Command[] {
  const has = (name: string) => Boolean(environment[name] || environment[`${name}_FILE`]);
  if (has('TENANTSCOPE_CURSOR_SECRETS')) return listApiCommands('tenantscope:rate:doctor');
  if (!has('TENANTSCOPE_JOBS_DATABASE_URL')) return [];
  const cell = environment.TENANTSCOPE_CELL || defaultCell;
  const prefix =
    (environment.TENANTSCOPE_JOBS_QUEUE_PREFIX || 'tenantscope') + (cell === defaultCell ? '' : `.${cell}`);
  return listJobsCommands(`{${prefix}}:doctor`);
}

const listApiCommands = (key: string): readonly Command[] => [
  ['multi'],
  ['set', key, '1'],
  ['incrby', key, '1'],
  ['pttl', key],
  ['eval', 'return 1', '1', key],
  ['evalsha', '0'.repeat(40), '1', key],
  ['time'],
  ['zadd', key, '0', 'doctor'],
  ['zremrangebyscore', key, '0', '0'],
  ['zcard', key],
];

const listJobsCommands = (key: string): readonly Command[] => [
  ['multi'],
  ['get', key],
  ['set', key, '1'],
  ['bzpopmin', key, '1'],
  ['evalsha', '0'.repeat(40), '1', key],
];
