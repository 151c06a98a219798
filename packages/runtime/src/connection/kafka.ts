import { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { readCurrentSecret } from '../config/current-secret.ts';
import type { Environment } from '../config/read-config.ts';
import { fileVariable, secret, variable } from '../config/variables.ts';
import { createTokenProvider } from './oauth-token.ts';
import { checkPlaintext, isLoopback, plaintextVariables } from './plaintext.ts';
import { createTlsOptions, readTlsFiles, type TlsOptions } from './tls.ts';

const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'] as const;

export const kafkaVariables = {
  TENANTSCOPE_KAFKA_BROKERS: variable(
    'Kafka brokers: host:port, several separated by commas.',
    z.string().regex(/^[^\s,]+:\d+(,\s*[^\s,]+:\d+)*$/, 'must be host:port, several separated by commas'),
  ),
  TENANTSCOPE_KAFKA_SSL: variable(
    'TLS to Kafka. By default on if one of its files is set, else off.',
    z.enum(['on', 'off']).optional(),
  ),
  TENANTSCOPE_KAFKA_SSL_CA_FILE: variable(
    'File with the certificate authorities of Kafka, PEM. By default those of Node.js.',
    z.string().optional(),
  ),
  TENANTSCOPE_KAFKA_SSL_CERT_FILE: variable(
    'File with the client certificate for Kafka, PEM: mutual TLS.',
    z.string().optional(),
  ),
  TENANTSCOPE_KAFKA_SSL_KEY_FILE: variable('File with the key of that certificate, PEM.', z.string().optional()),
  TENANTSCOPE_KAFKA_SSL_SERVERNAME: variable(
    "Host name that each broker's certificate must contain. By default the broker's own name.",
    z.string().optional(),
  ),
  TENANTSCOPE_KAFKA_SASL_MECHANISM: variable(
    `SASL mechanism of the login to Kafka: ${mechanisms.join(', ')}.`,
    z
      .string()
      .toLowerCase()
      .pipe(z.enum(mechanisms, `must be one of ${mechanisms.join(', ')}`))
      .optional(),
  ),
  TENANTSCOPE_KAFKA_SASL_USERNAME: variable('User of plain and scram.', z.string().optional()),
  TENANTSCOPE_KAFKA_SASL_PASSWORD: secret('Password of plain and scram.', z.string().optional()),
  TENANTSCOPE_KAFKA_SASL_OAUTH_TOKEN_URL: variable(
    'URL that issues tokens for oauthbearer by client credentials.',
    z.url().optional(),
  ),
  TENANTSCOPE_KAFKA_SASL_OAUTH_CLIENT_ID: variable('Client id of oauthbearer.', z.string().optional()),
  TENANTSCOPE_KAFKA_SASL_OAUTH_CLIENT_SECRET: secret('Client secret of oauthbearer.', z.string().optional()),
  TENANTSCOPE_KAFKA_SASL_OAUTH_SCOPE: variable('Scope that oauthbearer requests.', z.string().optional()),
  ...plaintextVariables,
};

export const topicPrefixPattern = /^[A-Za-z0-9._-]{1,200}$/;

/** Declared by every process that reads or writes topics. */
export const topicVariables = {
  TENANTSCOPE_TOPIC_PREFIX: variable(
    'Prefix of topic names.',
    z
      .string()
      .regex(topicPrefixPattern, 'must consist of alphanumeric characters, dots, hyphens and underscores')
      .default('tenantscope'),
  ),
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
  /** The name of a further cluster; absent from the main one. */
  readonly cluster?: string;
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
