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
