import { afterEach, expect, test, vi } from 'vitest';
import { createEnvironment, type EnvironmentOptions } from '../src/start/environment.ts';
import { selectProcessEnvironment } from '../src/start/process-environment.ts';

afterEach(() => vi.unstubAllEnvs());

const roles = {
  api: 'api',
  keys: 'keys',
  ingest: 'ingest',
  admin: 'admin',
  console: 'console',
  jobs: 'jobs',
  collect: 'collect',
};
const parts: EnvironmentOptions = {
  services: { kafka: 'kafka', postgres: 'postgres', redis: 'redis' },
  urls: { owner: 'owner', roles },
  port: 8080,
  consolePort: 8085,
  cursorSecret: 'secret',
  signingKey: 'key',
  consoleSecret: 'console secret',
};

test('variables of the caller about allowed origins and proxies are passed on', () => {
  const names = ['TENANTSCOPE_MCP_ORIGINS', 'TENANTSCOPE_TRUSTED_PROXIES'] as const;
  for (const name of names) vi.stubEnv(name, undefined);
  for (const name of names) expect(createEnvironment(parts)[name], name).toBeUndefined();
  for (const name of names) vi.stubEnv(name, `${name} of the caller`);
  for (const name of names) expect(createEnvironment(parts)[name]).toBe(`${name} of the caller`);
});

test('a process receives the variables that its configuration declares and no others', () => {
  const variables = createEnvironment(parts);
  const ingest = selectProcessEnvironment('ingest', variables, { PATH: '/bin', SHELL: '/bin/sh', AWS_SECRET: 'x' });
  expect(ingest).toEqual({
    PATH: '/bin',
    TENANTSCOPE_KAFKA_BROKERS: 'kafka',
    TENANTSCOPE_TOPIC_PREFIX: 'tenantscope',
    TENANTSCOPE_INGEST_DATABASE_URL: 'ingest',
    TENANTSCOPE_INGEST_CONTROL_DATABASE_URL: 'ingest',
    TENANTSCOPE_HOST: '127.0.0.1',
    TENANTSCOPE_LOG_LEVEL: 'info',
  });
});

test('a secret of the caller, also one in a file, replaces the one of the installation', () => {
  expect(createEnvironment(parts).TENANTSCOPE_SIGNING_KEY).toBe('key');
  vi.stubEnv('TENANTSCOPE_SIGNING_KEY_FILE', '/run/secrets/key');
  vi.stubEnv('TENANTSCOPE_API_DATABASE_URL_FILE', '/run/secrets/url');
  const variables = createEnvironment(parts);
  expect(variables.TENANTSCOPE_SIGNING_KEY).toBeUndefined();
  expect(selectProcessEnvironment('api', variables, {})).toMatchObject({
    TENANTSCOPE_SIGNING_KEY_FILE: '/run/secrets/key',
    TENANTSCOPE_API_DATABASE_URL: 'api',
  });
  expect(variables.TENANTSCOPE_API_DATABASE_URL_FILE).toBeUndefined();
});

test('the variables of a Kafka cluster reach the processes that use it where the caller names it', () => {
  const partner = 'TENANTSCOPE_KAFKA_CLUSTER_PARTNER';
  vi.stubEnv(`${partner}_BROKERS`, 'partner:9093');
  vi.stubEnv(`${partner}_SASL_PASSWORD_FILE`, '/run/secrets/partner');
  vi.stubEnv('TENANTSCOPE_KAFKA_CLUSTER_OTHER_BROKERS', 'other:9093');
  expect(createEnvironment(parts)[`${partner}_BROKERS`]).toBeUndefined();
  vi.stubEnv('TENANTSCOPE_KAFKA_CLUSTERS', 'partner');
  const variables = createEnvironment(parts);
  expect(variables.TENANTSCOPE_KAFKA_CLUSTER_OTHER_BROKERS).toBeUndefined();
  for (const name of ['ingest', 'jobs'] as const)
    expect(selectProcessEnvironment(name, variables, {})).toMatchObject({
      TENANTSCOPE_KAFKA_CLUSTERS: 'partner',
      [`${partner}_BROKERS`]: 'partner:9093',
      [`${partner}_SASL_PASSWORD_FILE`]: '/run/secrets/partner',
    });
  for (const name of ['api', 'console'] as const)
    expect(Object.keys(selectProcessEnvironment(name, variables, {})).filter((each) => /KAFKA/.test(each))).toEqual([]);
});
