import { type RedisOptions, type SentinelConnectionOptions, SentinelConnector } from 'ioredis';
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
  TENANTSCOPE_REDIS_SENTINELS: variable(
    'Addresses of sentinels that know the present primary, host:port, separated by commas. The host of TENANTSCOPE_REDIS_URL is then the name that they monitor it by.',
    z.string().optional(),
  ),
  TENANTSCOPE_REDIS_SENTINEL_USERNAME: variable('ACL user of the sentinels.', z.string().optional()),
  TENANTSCOPE_REDIS_SENTINEL_PASSWORD: secret('Password of the sentinels.', z.string().optional()),
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

/**
 * What announces failovers belongs to one connection, and ends before the next one is made. Otherwise a failover that is announced while the client queries a sentinel for
 * the primary ends the client, which then never connects again.
 */
class FollowingConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(...parameters: Parameters<SentinelConnector['connect']>): ReturnType<SentinelConnector['connect']> {
    this.disconnect();
    return super.connect(...parameters);
  }
}

/** Options of a client that asks sentinels for the present primary, and follows it. */
interface SentinelOptions {
  readonly name: string;
  readonly sentinels: { readonly host: string; readonly port: number }[];
  /** A primary that was replaced but keeps its connections open, as a suspended machine does, is left at once. */
  readonly failoverDetector: true;
  readonly Connector: NonNullable<RedisOptions['Connector']>;
  readonly sentinelCommandTimeout: number;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
  readonly sentinelTLS?: TlsOptions;
  readonly enableTLSForSentinelMode: boolean;
}

/** The address of Redis and the options of a client for it. */
export interface RedisConnection {
  readonly url: string;
  readonly options: RedisLogin & { readonly tls?: TlsOptions } & Partial<SentinelOptions>;
  /** The present login: a file with the URL or the password is read again, so that a rotated one needs no restart. */
  readonly readLogin: () => RedisLogin;
}

const urlVariable = 'TENANTSCOPE_REDIS_URL';
const sentinelsVariable = 'TENANTSCOPE_REDIS_SENTINELS';
const sentinelTimeoutMs = 2_000;

/** Throws ConfigError where TLS is missing or the settings contradict each other. */
export function readRedisConnection(
  config: z.infer<z.ZodObject<typeof redisVariables>>,
  environment: Environment = process.env,
): RedisConnection {
  const refuse = (problem: string): never => {
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
  const sentinels = readSentinels(config.TENANTSCOPE_REDIS_SENTINELS, refuse);
  const tls = hasTls ? createTlsOptions(files, config.TENANTSCOPE_REDIS_SSL_SERVERNAME) : undefined;
  // With sentinels the host of the URL is a name.
  for (const host of hasTls ? [] : (sentinels?.map((sentinel) => sentinel.host) ?? [url.hostname])) {
    const problem = checkPlaintext('redis', host, config);
    if (problem !== null) refuse(`${sentinels === undefined ? urlVariable : sentinelsVariable}: ${problem}`);
  }
  return {
    url: given,
    options: {
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(tls === undefined ? {} : { tls }),
      ...(sentinels === undefined ? {} : createSentinelOptions(config, { name: url.hostname, sentinels, tls })),
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

function readSentinels(
  given: string | undefined,
  refuse: (problem: string) => never,
): SentinelOptions['sentinels'] | undefined {
  return given?.split(',').map((address) => {
    const url = URL.parse(`redis://${address.trim()}`);
    if (!url?.hostname || url.port === '' || url.host !== address.trim())
      return refuse(`${sentinelsVariable}: ${JSON.stringify(address)} is not host:port`);
    return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) };
  });
}

function createSentinelOptions(
  config: z.infer<z.ZodObject<typeof redisVariables>>,
  { name, sentinels, tls }: Pick<SentinelOptions, 'name' | 'sentinels'> & { readonly tls: TlsOptions | undefined },
): SentinelOptions {
  const { TENANTSCOPE_REDIS_SENTINEL_USERNAME: user, TENANTSCOPE_REDIS_SENTINEL_PASSWORD: secret } = config;
  return {
    name: decodeURIComponent(name),
    sentinels,
    failoverDetector: true,
    Connector: FollowingConnector,
    sentinelCommandTimeout: sentinelTimeoutMs,
    ...(user === undefined ? {} : { sentinelUsername: user }),
    ...(secret === undefined ? {} : { sentinelPassword: secret }),
    ...(tls === undefined ? {} : { sentinelTLS: tls }),
    enableTLSForSentinelMode: tls !== undefined,
  };
}
