import { afterEach, expect, test, vi } from 'vitest';
import { createEnvironment, type EnvironmentOptions } from '../src/start/environment.ts';

afterEach(() => vi.unstubAllEnvs());

const roles = { api: 'api', keys: 'keys', ingest: 'ingest', admin: 'admin', jobs: 'jobs' };
const parts: EnvironmentOptions = {
  services: { kafka: 'kafka', postgres: 'postgres', redis: 'redis' },
  urls: { owner: 'owner', roles },
  port: 8080,
  consolePort: 8085,
  cursorSecret: 'secret',
  signingKey: 'key',
};

test('variables of the caller about allowed origins and proxies are passed on', () => {
  const names = ['TENANTSCOPE_MCP_ORIGINS', 'TENANTSCOPE_TRUSTED_PROXIES'] as const;
  for (const name of names) vi.stubEnv(name, undefined);
  for (const name of names) expect(createEnvironment(parts)[name], name).toBe('');
  for (const name of names) vi.stubEnv(name, `${name} of the caller`);
  for (const name of names) expect(createEnvironment(parts)[name]).toBe(`${name} of the caller`);
});
