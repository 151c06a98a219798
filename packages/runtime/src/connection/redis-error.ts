import { describeTlsError } from './tls-error.ts';

const login = 'TENANTSCOPE_REDIS_USERNAME and TENANTSCOPE_REDIS_PASSWORD, or the login in TENANTSCOPE_REDIS_URL';

/** Describes an error of a Redis client: which variable to check, what to do. Contains no secret. */
export function describeRedisError(error: unknown): string {
  const tls = describeTlsError(error, 'REDIS');
  if (tls !== null) return `Redis ${tls}`;
  const message = error instanceof Error ? error.message : '';
  if (message.startsWith('WRONGPASS')) return `Redis rejects the login; check ${login}`;
  if (message.startsWith('NOAUTH')) return `Redis requires a login; set ${login}`;
  const command = /^NOPERM .* '?([\w|]+)'? command/.exec(message)?.[1];
  if (message.startsWith('NOPERM'))
    return `Redis does not allow the ACL user ${command === undefined ? 'these keys' : `the command ${command}`}; grant it as in docs/operations/tls.md`;
  return 'Redis does not respond; check TENANTSCOPE_REDIS_URL';
}
