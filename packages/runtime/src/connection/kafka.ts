import { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { readCurrentSecret } from '../config/current-secret.ts';
import type { Environment } from '../config/read-config.ts';
import { fileVariable, secret } from '../config/variables.ts';
import { createTokenProvider } from './oauth-token.ts';
import { checkPlaintext, isLoopback, plaintextVariables } from './plaintext.ts';
import { createTlsOptions, readTlsFiles, type TlsOptions } from './tls.ts';

const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'] as const;

/**
 * TENANTSCOPE_KAFKA_BROKERS           host:port, several separated by commas
 * TENANTSCOPE_KAFKA_SSL               on or off; on if one of the files is set, else off
 * TENANTSCOPE_KAFKA_SSL_CA_FILE       certificate authorities, PEM; those of Node.js by default
 * TENANTSCOPE_KAFKA_SSL_CERT_FILE, TENANTSCOPE_KAFKA_SSL_KEY_FILE  client certificate and its key, PEM, for mutual TLS; none by default
 * TENANTSCOPE_KAFKA_SSL_SERVERNAME    host name that each broker's certificate must contain; the broker's own name by default
 * TENANTSCOPE_KAFKA_SASL_MECHANISM    plain, scram-sha-256, scram-sha-512 or oauthbearer; no SASL by default
 * TENANTSCOPE_KAFKA_SASL_USERNAME, TENANTSCOPE_KAFKA_SASL_PASSWORD  for plain and scram
 * TENANTSCOPE_KAFKA_SASL_OAUTH_TOKEN_URL, _CLIENT_ID, _CLIENT_SECRET, _SCOPE  for oauthbearer, by client credentials
 * TENANTSCOPE_ALLOW_PLAINTEXT         as for PostgreSQL
 */
export const kafkaVariables = {
  TENANTSCOPE_KAFKA_BROKERS: z
    .string()
    .regex(/^[^\s,]+:\d+(,\s*[^\s,]+:\d+)*$/, 'must be host:port, several separated by commas'),
  TENANTSCOPE_KAFKA_SSL: z.enum(['on', 'off']).optional(),
  TENANTSCOPE_KAFKA_SSL_CA_FILE: z.string().optional(),
  TENANTSCOPE_KAFKA_SSL_CERT_FILE: z.string().optional(),
  TENANTSCOPE_KAFKA_SSL_KEY_FILE: z.string().optional(),
  TENANTSCOPE_KAFKA_SSL_SERVERNAME: z.string().optional(),
  TENANTSCOPE_KAFKA_SASL_MECHANISM: z
    .string()
    .toLowerCase()
    .pipe(z.enum(mechanisms, `must be one of ${mechanisms.join(', ')}`))
    .optional(),
  TENANTSCOPE_KAFKA_SASL_USERNAME: z.string().optional(),
  TENANTSCOPE_KAFKA_SASL_PASSWORD: secret(z.string().optional()),
  TENANTSCOPE_KAFKA_SASL_OAUTH_TOKEN_URL: z.url().optional(),
  TENANTSCOPE_KAFKA_SASL_OAUTH_CLIENT_ID: z.string().optional(),
  TENANTSCOPE_KAFKA_SASL_OAUTH_CLIENT_SECRET: secret(z.string().optional()),
  TENANTSCOPE_KAFKA_SASL_OAUTH_SCOPE: z.string().optional(),
  ...plaintextVariables,
};

export type KafkaConfig = z.infer<z.ZodObject<typeof kafkaVariables>>;

interface PasswordLogin<Mechanism> {
  mechanism: Mechanism;
  readonly username: string;
  readonly password: string;
}

export type KafkaSasl =
  | PasswordLogin<'plain'>
  | PasswordLogin<'scram-sha-256'>
  | PasswordLogin<'scram-sha-512'>
  | { mechanism: 'oauthbearer'; oauthBearerProvider(): Promise<{ value: string }> };

/** Brokers (host:port, several separated by commas) and how clients connect to them, in the options of kafkajs. */
export interface KafkaConnection {
  readonly brokers: string;
  readonly ssl?: TlsOptions;
  readonly sasl?: KafkaSasl;
}

/**
 * The connection that a configuration describes. A password file of `environment` is read again at each login. Throws ConfigError where
 * TLS is missing or settings are incomplete.
 */
export function readKafkaConnection(config: KafkaConfig, environment: Environment = process.env): KafkaConnection {
  const files = readTlsFiles('TENANTSCOPE_KAFKA', config);
  const hasFile = Object.values(files).some((file) => file !== undefined);
  const brokers = config.TENANTSCOPE_KAFKA_BROKERS;
  const hasTls = (config.TENANTSCOPE_KAFKA_SSL ?? (hasFile ? 'on' : 'off')) === 'on';
  if (!hasTls) {
    if (hasFile) throw new ConfigError(['TENANTSCOPE_KAFKA_SSL is off, but TLS files are set; remove one']);
    for (const broker of brokers.split(',')) {
      const problem = checkPlaintext('kafka', broker.trim().replace(/:\d+$/, ''), config);
      if (problem !== null) throw new ConfigError([`TENANTSCOPE_KAFKA_BROKERS: ${problem}`]);
    }
  }
  const sasl = readSasl(config, environment);
  return {
    brokers,
    ...(hasTls ? { ssl: createTlsOptions(files, config.TENANTSCOPE_KAFKA_SSL_SERVERNAME) } : {}),
    ...(sasl === undefined ? {} : { sasl }),
  };
}

function readSasl(config: KafkaConfig, environment: Environment): KafkaSasl | undefined {
  const mechanism = config.TENANTSCOPE_KAFKA_SASL_MECHANISM;
  if (mechanism === undefined) {
    const name = (Object.keys(config) as (keyof KafkaConfig)[]).find(
      (each) => each.startsWith('TENANTSCOPE_KAFKA_SASL_') && config[each] !== undefined,
    );
    if (name !== undefined) throw new ConfigError([`${name} is set without TENANTSCOPE_KAFKA_SASL_MECHANISM`]);
    return undefined;
  }
  const required = <Name extends keyof KafkaConfig>(name: Name): string => {
    const value = config[name];
    if (typeof value !== 'string') throw new ConfigError([`${name} is not set, but ${mechanism} needs it`]);
    return value;
  };
  const current = (name: keyof KafkaConfig): string =>
    readCurrentSecret(required(name), environment[fileVariable(name)]);
  if (mechanism === 'oauthbearer') {
    const tokenUrl = new URL(required('TENANTSCOPE_KAFKA_SASL_OAUTH_TOKEN_URL'));
    if (tokenUrl.protocol !== 'https:' && !isLoopback(tokenUrl.hostname))
      throw new ConfigError(['TENANTSCOPE_KAFKA_SASL_OAUTH_TOKEN_URL: outside loopback the URL must be https']);
    const clientId = required('TENANTSCOPE_KAFKA_SASL_OAUTH_CLIENT_ID');
    required('TENANTSCOPE_KAFKA_SASL_OAUTH_CLIENT_SECRET');
    const provider = createTokenProvider({
      tokenUrl: tokenUrl.href,
      clientId,
      readClientSecret: () => current('TENANTSCOPE_KAFKA_SASL_OAUTH_CLIENT_SECRET'),
      scope: config.TENANTSCOPE_KAFKA_SASL_OAUTH_SCOPE,
    });
    return { mechanism, oauthBearerProvider: async () => ({ value: await provider() }) };
  }
  required('TENANTSCOPE_KAFKA_SASL_PASSWORD');
  return {
    mechanism,
    username: required('TENANTSCOPE_KAFKA_SASL_USERNAME'),
    get password() {
      return current('TENANTSCOPE_KAFKA_SASL_PASSWORD');
    },
  };
}
