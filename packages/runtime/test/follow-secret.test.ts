import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import {
  databaseUrl,
  followSecret,
  postgresVariables,
  readConfig,
  readDatabasePasswords,
  readRedisConnection,
  redisVariables,
  secret,
} from '../src/index.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-secrets-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));
afterEach(() => vi.useRealTimers());

const write = async (name: string, text: string) => {
  await writeFile(join(directory, name), text);
  return join(directory, name);
};

test('a secret is read again after a second, and an invalid one is reported and not used', async () => {
  vi.useFakeTimers();
  const file = await write('secret', 'first secret\n');
  const schema = secret('A secret.', z.string().min(8, 'too short'));
  const reports: unknown[] = [];
  const read = followSecret({
    variable: 'TENANTSCOPE_SECRET',
    schema,
    valueAtStart: 'first secret',
    environment: { TENANTSCOPE_SECRET_FILE: file },
    onChange: (...report) => reports.push(report),
  });
  await write('secret', 'second secret');
  expect(read()).toBe('first secret');
  vi.advanceTimersByTime(1_000);
  expect(read()).toBe('second secret');
  await write('secret', 'short');
  vi.advanceTimersByTime(1_000);
  expect(read()).toBe('second secret');
  await rm(file);
  vi.advanceTimersByTime(1_000);
  expect(read()).toBe('second secret');
  expect(reports).toEqual([
    ['TENANTSCOPE_SECRET', null],
    ['TENANTSCOPE_SECRET', 'too short'],
  ]);
});

test('the password of a PostgreSQL URL is that of its file, for the same user and address', async () => {
  const file = await write('url', 'postgres://one:a%2Fb@db.example.com/models?sslmode=verify-full');
  const shape = z.object({ TENANTSCOPE_URL: databaseUrl('A database.'), ...postgresVariables });
  const { TENANTSCOPE_URL: url } = readConfig(shape, {
    TENANTSCOPE_URL_FILE: file,
    TENANTSCOPE_POSTGRES_SSL: 'on',
  });
  const read = readDatabasePasswords(url);
  expect(read?.()).toBe('a/b');
  await write('url', 'postgres://one:c@db.example.com/models');
  expect(read?.()).toBe('c');
  for (const other of ['postgres://two:d@db.example.com/models', 'postgres://one:d@db2.example.com/models', '', 'x']) {
    await write('url', other);
    expect(read?.()).toBe('a/b');
  }
  expect(readDatabasePasswords('postgres://one@db.example.com/models')).toBeNull();
});

test.each([
  ['the URL', { TENANTSCOPE_REDIS_URL: 'redis://api:%s@127.0.0.1' }, { username: 'api', password: 'new' }],
  [
    'a password of its own',
    { TENANTSCOPE_REDIS_PASSWORD: '%s', TENANTSCOPE_REDIS_URL: 'redis://127.0.0.1' },
    { password: 'new' },
  ],
])('the login of Redis follows the file of %s', async (_, values, login) => {
  const environment: Record<string, string> = {};
  const changing: [file: string, text: string][] = [];
  for (const [name, text] of Object.entries(values)) {
    environment[`${name}_FILE`] = await write(name, text.replace('%s', 'old'));
    changing.push([name, text.replace('%s', 'new')]);
  }
  const { readLogin } = readRedisConnection(readConfig(z.object(redisVariables), environment), environment);
  expect(readLogin()).toEqual({ ...login, password: 'old' });
  for (const [name, text] of changing) await write(name, text);
  expect(readLogin()).toEqual(login);
});
