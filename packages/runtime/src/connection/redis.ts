import { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { readCurrentSecret } from '../config/current-secret.ts';
import type { Environment } from '../config/read-config.ts';
import { fileVariable, secret, variable } from '../config/variables.ts';
import { checkPlaintext, plaintextVariables } from './plaintext.ts';
import { createTlsOptions, readTlsFiles, type TlsOptions } from './tls.ts';

export const redisVariables = {
  TENANTSCOPE_REDIS_URL: secret(
    'URL of Redis: redis:// or, with TLS, rediss://. It may contain the ACL user and its password.',
    z.string().regex(/^rediss?:\/\//, 'must be a redis:// or rediss:// URL'),
  ),
  TENANTSCOPE_REDIS_USERNAME: variable('ACL user, unless the URL contains it.', z.string().optional()),
  TENANTSCOPE_REDIS_PASSWORD: secret('Password of that user, unless the URL contains it.', z.string().optional()),
  TENANTSCOPE_REDIS_SSL_CA_FILE: variable(
    'File with the certificate authorities of Redis, PEM. By default those of Node.js.',
    z.string().optional(),
  ),
  TENANTSCOPE_REDIS_SSL_CERT_FILE: variable('File with the client certificate for Redis, PEM.', z.string().optional()),
  TENANTSCOPE_REDIS_SSL_KEY_FILE: variable('File with the key of that certificate, PEM.', z.string().optional()),
  TENANTSCOPE_REDIS_SSL_SERVERNAME: variable(
    'Host name that the certificate of Redis must contain. By default that of the URL.',
    z.string().optional(),
  ),
  ...plaintextVariables,
};

export interface RedisLogin {
  readonly username?: string;
  readonly password?: string;
}

/** The address of Redis and the options of a client for it. */
export interface RedisConnection {
  readonly url: string;
  readonly options: RedisLogin & { readonly tls?: TlsOptions };
  /** The present login: a file with the URL or the password is read again, so that a rotated one needs no restart. */
  readonly readLogin: () => RedisLogin;
}

const urlVariable = 'TENANTSCOPE_REDIS_URL';

/** Throws ConfigError where TLS is missing or the settings contradict each other. */
export function readRedisConnection(
  config: z.infer<z.ZodObject<typeof redisVariables>>,
  environment: Environment = process.env,
): RedisConnection {
  const refuse = (problem: string) => {
    throw new ConfigError([problem]);
  };
  const given = config.TENANTSCOPE_REDIS_URL;
  if (!URL.canParse(given)) refuse(`${urlVariable}: not a valid URL; encode special characters of the password`);
  const url = new URL(given);
  const { TENANTSCOPE_REDIS_USERNAME: username, TENANTSCOPE_REDIS_PASSWORD: password } = config;
  if ((username !== undefined && url.username !== '') || (password !== undefined && url.password !== ''))
    refuse(
      `TENANTSCOPE_REDIS_USERNAME and TENANTSCOPE_REDIS_PASSWORD: ${urlVariable} contains a login too; remove one`,
    );
  const files = readTlsFiles('TENANTSCOPE_REDIS', config);
  const hasTls = url.protocol === 'rediss:';
  if (!hasTls && Object.values(files).some((file) => file !== undefined))
    refuse(`${urlVariable}: TLS files are set, but the scheme is redis://; use rediss://`);
  const problem = hasTls ? null : checkPlaintext('redis', url.hostname, config);
  if (problem !== null) refuse(`${urlVariable}: ${problem}`);
  return {
    url: given,
    options: {
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(hasTls ? { tls: createTlsOptions(files, config.TENANTSCOPE_REDIS_SSL_SERVERNAME) } : {}),
    },
    readLogin() {
      const current = readCurrentSecret(given, environment[fileVariable(urlVariable)]);
      const { username: user, password: secret } = URL.canParse(current) ? new URL(current) : url;
      if (user !== '' || secret !== '')
        return {
          ...(user === '' ? {} : { username: decodeURIComponent(user) }),
          ...(secret === '' ? {} : { password: decodeURIComponent(secret) }),
        };
      const file = environment[fileVariable('TENANTSCOPE_REDIS_PASSWORD')];
      return {
        ...(username === undefined ? {} : { username }),
        ...(password === undefined ? {} : { password: readCurrentSecret(password, file) }),
      };
    },
  };
}
