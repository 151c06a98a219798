import { readConfig } from '@tenantscope/runtime';
import { expect, test } from 'vitest';
import { jobsConfig } from '../src/config.ts';

const required = {
  TENANTSCOPE_JOBS_DATABASE_URL: 'postgres://tenantscope_jobs@localhost/tenantscope',
  TENANTSCOPE_REDIS_URL: 'redis://localhost',
};
const canary = {
  TENANTSCOPE_CANARY_TENANT_ID: '5b0f5c4e-5f8b-4b7e-8f43-0f5a3d0c9b11',
  TENANTSCOPE_CANARY_API_URL: 'https://api.example.com/api/v1/',
  TENANTSCOPE_CANARY_API_KEY: 'key',
  TENANTSCOPE_KAFKA_BROKERS: 'localhost:9092',
};

test('by default there is no canary', () => {
  expect(readConfig(jobsConfig, required).TENANTSCOPE_CANARY_TENANT_ID).toBeUndefined();
});

test('the canary has a tenant, an API, a key and brokers', () => {
  const config = readConfig(jobsConfig, { ...required, ...canary });
  expect(config.TENANTSCOPE_CANARY_API_URL).toBe('https://api.example.com/api/v1');
  expect(config.TENANTSCOPE_CANARY_INTERVAL_SECONDS).toBe(1);
});

test.each(Object.keys(canary))('a canary without %s is refused', (missing) => {
  const environment = { ...required, ...canary, [missing]: undefined };
  expect(() => readConfig(jobsConfig, environment)).toThrow('TENANTSCOPE_CANARY_TENANT_ID');
});
