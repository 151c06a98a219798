import { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { secret } from '../config/variables.ts';
import { checkPlaintext, plaintextVariables } from './plaintext.ts';
import { createTlsOptions, readTlsFiles, type TlsOptions } from './tls.ts';

/**
 * TENANTSCOPE_REDIS_URL               redis:// or, with TLS, rediss://; it may contain the ACL user and its password
 * TENANTSCOPE_REDIS_USERNAME, TENANTSCOPE_REDIS_PASSWORD  ACL user and its password, unless the URL contains them
 * TENANTSCOPE_REDIS_SSL_CA_FILE       certificate authorities, PEM; those of Node.js by default
 * TENANTSCOPE_REDIS_SSL_CERT_FILE, TENANTSCOPE_REDIS_SSL_KEY_FILE  client certificate and its key, PEM; none by default
 * TENANTSCOPE_REDIS_SSL_SERVERNAME    host name that the certificate must contain; that of the URL by default
 * TENANTSCOPE_ALLOW_PLAINTEXT         as for PostgreSQL
 */
export const redisVariables = {
  TENANTSCOPE_REDIS_URL: secret(z.string().regex(/^rediss?:\/\//, 'must be a redis:// or rediss:// URL')),
  TENANTSCOPE_REDIS_USERNAME: z.string().optional(),
  TENANTSCOPE_REDIS_PASSWORD: secret(z.string().optional()),
  TENANTSCOPE_REDIS_SSL_CA_FILE: z.string().optional(),
  TENANTSCOPE_REDIS_SSL_CERT_FILE: z.string().optional(),
  TENANTSCOPE_REDIS_SSL_KEY_FILE: z.string().optional(),
  TENANTSCOPE_REDIS_SSL_SERVERNAME: z.string().optional(),
  ...plaintextVariables,
};

/** The address of Redis and the options of a client for it. */
export interface RedisConnection {
  readonly url: string;
  readonly options: { readonly username?: string; readonly password?: string; readonly tls?: TlsOptions };
}

const variable = 'TENANTSCOPE_REDIS_URL';

/** Throws ConfigError where TLS is missing or the settings contradict each other. */
export function readRedisConnection(config: z.infer<z.ZodObject<typeof redisVariables>>): RedisConnection {
  const refuse = (problem: string) => {
    throw new ConfigError([problem]);
  };
  const given = config.TENANTSCOPE_REDIS_URL;
  if (!URL.canParse(given)) refuse(`${variable}: not a valid URL; encode special characters of the password`);
  const url = new URL(given);
  const { TENANTSCOPE_REDIS_USERNAME: username, TENANTSCOPE_REDIS_PASSWORD: password } = config;
  if ((username !== undefined && url.username !== '') || (password !== undefined && url.password !== ''))
    refuse(`TENANTSCOPE_REDIS_USERNAME and TENANTSCOPE_REDIS_PASSWORD: ${variable} contains a login too; remove one`);
  const files = readTlsFiles('TENANTSCOPE_REDIS', config);
  const hasTls = url.protocol === 'rediss:';
  if (!hasTls && Object.values(files).some((file) => file !== undefined))
    refuse(`${variable}: TLS files are set, but the scheme is redis://; use rediss://`);
  const problem = hasTls ? null : checkPlaintext('redis', url.hostname, config);
  if (problem !== null) refuse(`${variable}: ${problem}`);
  return {
    url: given,
    options: {
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(hasTls ? { tls: createTlsOptions(files, config.TENANTSCOPE_REDIS_SSL_SERVERNAME) } : {}),
    },
  };
}
