import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, startTemporaryServices } from '@tenantscope/local';
import { connectAdmin } from '@tenantscope/store/admin';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../cli/command-line.ts';
import { eventually } from '../installation/eventually.ts';
import { type ProductProcess, startProcess } from '../installation/processes.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { type Certificates, createCertificates } from './certificates.ts';
import { readCommands } from './documented-acls.ts';
import { startExpiredServer } from './expired-server.ts';

const stack = new AsyncDisposableStack();
const passwords = { API: randomBytes(12).toString('hex'), JOBS: randomBytes(12).toString('hex') };
let certificates: Certificates;
let superuser: Redis;
let database: TestDatabase;
let port = 0;

beforeAll(async () => {
  certificates = stack.use(await createCertificates());
  port = await findFreePort();
  const tls = { ...certificates.server, caFile: certificates.caFile, port };
  const services = stack.use(await startTemporaryServices({ only: ['redis'], security: { redis: tls } }));
  superuser = new Redis<'legacy'>(services.redis);
  stack.defer(() => superuser.disconnect());
  for (const command of await readCommands('tls.md')) {
    const [name = '', ...args] = command
      .replace(/PASSWORD_(API|JOBS)/, (_, who: 'API' | 'JOBS') => passwords[who])
      .split(' ');
    expect(await superuser.call(name, ...args)).toBe('OK');
  }
  // Like a server that is not on loopback: without a login nothing is allowed.
  await superuser.call('ACL', 'SETUSER', 'superuser', 'on', '>superuser', '~*', '&*', '+@all');
  await superuser.auth('superuser', 'superuser');
  await superuser.call('ACL', 'SETUSER', 'default', 'off');
  database = stack.use(await createTestDatabase());
}, 120_000);
afterAll(() => stack.disposeAsync(), 60_000);

function environment(user: 'api' | 'jobs'): Record<string, string> {
  const { roles } = database;
  return {
    TENANTSCOPE_API_DATABASE_URL: roles.api,
    TENANTSCOPE_KEYS_DATABASE_URL: roles.keys,
    TENANTSCOPE_JOBS_DATABASE_URL: roles.jobs,
    TENANTSCOPE_REDIS_URL: `rediss://localhost:${port}`,
    TENANTSCOPE_REDIS_USERNAME: `tenantscope-${user}`,
    TENANTSCOPE_REDIS_PASSWORD: user === 'api' ? passwords.API : passwords.JOBS,
    TENANTSCOPE_REDIS_SSL_CA_FILE: certificates.caFile,
    TENANTSCOPE_CURSOR_SECRETS: randomBytes(32).toString('hex'),
    TENANTSCOPE_PUBLIC_URL: 'http://127.0.0.1:1/api/v1',
  };
}

async function startApi(variables: Record<string, string>): Promise<ProductProcess & { url: string }> {
  const apiPort = await findFreePort();
  const api = await startProcess('api', { ...variables, TENANTSCOPE_PORT: String(apiPort) });
  return Object.assign(api, { url: `http://127.0.0.1:${apiPort}/api/v1` });
}

async function createKey(): Promise<Record<string, string>> {
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:test');
  const { id } = await admin.tenants.create({ name: 'Larkspur', organizationId: null, azureTenantId: randomUUID() });
  const { secret } = await admin.keys.create({
    name: 'k',
    scopes: ['logs:read'],
    owner: { tenantId: id },
    expiresAt: null,
  });
  return { authorization: `Bearer ${secret}` };
}

const readGauge = async (process: ProductProcess, name: string) => {
  const text = await (await fetch(`http://127.0.0.1:${process.healthPort}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{cell="default"\\})? (\\S+)$`, 'm').exec(text)?.[1]);
};

test('the api and jobs use TLS and the users of the operations manual', async () => {
  const headers = await createKey();
  await using api = await startApi(environment('api'));
  await eventually('the limit is shared', 15_000, async () => {
    await fetch(`${api.url}/ping`, { headers });
    return (await superuser.keys('tenantscope:rate:*')).length === 2;
  });
  // The count of the key, and the processes that count.
  expect(await superuser.zcard('tenantscope:rate:instances')).toBe(1);
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:test');
  const { id } = await admin.tenants.create({
    name: 'Harbourline',
    organizationId: null,
    azureTenantId: null,
    connectedAt: new Date(Date.now() - 21 * 86_400_000),
  });
  // A snapshot that is due now is taken through the queue, not inline.
  await using jobs = await startProcess('jobs', {
    ...environment('jobs'),
    TENANTSCOPE_JOBS_RECONCILE_SECONDS: '1',
    TENANTSCOPE_JOBS_INLINE_AFTER_SECONDS: '86400',
    TENANTSCOPE_SNAPSHOT_DUE_MINUTES: '0',
    TENANTSCOPE_SNAPSHOT_SPREAD_MINUTES: '0',
  });
  await eventually('snapshots are taken', 30_000, async () => (await admin.snapshots.list(id, 10)).length >= 2);
  expect(await readGauge(jobs, 'tenantscope_jobs_inline_executions_total')).toBe(0);
  for (const { output } of [api, jobs])
    expect(output()).not.toMatch(/NOPERM|does not allow|Redis (unavailable|failed)|job queue failed/);
  const users = String(await superuser.call('CLIENT', 'LIST'));
  expect(users).toMatch(/user=tenantscope-api/);
  expect(users).toMatch(/user=tenantscope-jobs/);
}, 120_000);

test('doctor names the rights that the user of the api or of jobs lacks, and executes nothing', async () => {
  const examine = async (user: 'api' | 'jobs', changes: Record<string, string> = {}) => {
    const variables = Object.entries({ ...environment(user), ...changes });
    const own = variables.filter(([name]) => user === 'api' || name !== 'TENANTSCOPE_CURSOR_SECRETS');
    const { stdout } = await run(['doctor', '--json'], { environment: Object.fromEntries(own) });
    const { findings } = JSON.parse(stdout) as { findings: { subject: string; result: string; detail: string }[] };
    return findings.filter(({ subject }) => subject.startsWith('Redis'));
  };
  const server = { subject: 'Redis, TENANTSCOPE_REDIS_URL', result: 'ok' };
  expect(await examine('api')).toMatchObject([server]);
  expect(await examine('jobs')).toMatchObject([server]);
  expect(await examine('jobs', { TENANTSCOPE_CELL: 'eu1' })).toMatchObject([server]);
  // As an installation of an earlier version has them.
  const [rates, queue] = ['~tenantscope:rate:*', '~{tenantscope}:*'];
  const earlier = ['+multi', '+exec', '+set', '+incrby', '+pttl', '+info', '+eval', '+evalsha'];
  await superuser.call('ACL', 'SETUSER', 'earlier-api', 'on', '>secret', 'resetkeys', rates, '-@all', ...earlier);
  await superuser.call('ACL', 'SETUSER', 'earlier-jobs', 'on', '>secret', 'resetkeys', queue, '+@all');
  const login = (name: string) => ({ TENANTSCOPE_REDIS_USERNAME: name, TENANTSCOPE_REDIS_PASSWORD: 'secret' });
  const missing = (what: string) => ({
    subject: 'Redis, rights of the login',
    result: 'failed',
    detail: expect.stringContaining(`does not allow the ACL user ${what}; grant it as in docs/operations/tls.md`),
  });
  expect(await examine('api', login('earlier-api'))).toMatchObject([
    server,
    ...['time', 'zadd', 'zremrangebyscore', 'zcard'].map((name) => missing(`the command ${name}`)),
  ]);
  expect(await examine('jobs', login('earlier-jobs'))).toMatchObject([server]);
  expect(await examine('jobs', { ...login('earlier-jobs'), TENANTSCOPE_CELL: 'eu1' })).toMatchObject([
    server,
    missing('these keys'),
  ]);
  expect(await superuser.keys('*doctor*')).toEqual([]);
});

test('the user of jobs may use the queues of further cells, and of no other product', async () => {
  const allows = (key: string) => superuser.call('ACL', 'DRYRUN', 'tenantscope-jobs', 'SET', key, '1');
  expect(await allows('{tenantscope}:snapshots:meta')).toBe('OK');
  expect(await allows('{tenantscope.eu1}:snapshots:meta')).toBe('OK');
  expect(await allows('{tenantscopes}:snapshots:meta')).not.toBe('OK');
});

test('jobs that may not use their queue log the reason and retry a few times a minute', async () => {
  await superuser.call('ACL', 'SETUSER', 'without-queue', 'on', '>secret', 'resetkeys', '~{other}:*', '+@all');
  const countRefused = async () => {
    const refused = String(await superuser.info('commandstats')).matchAll(/rejected_calls=(\d+)/g);
    return [...refused].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  await using jobs = await startProcess('jobs', {
    ...environment('jobs'),
    TENANTSCOPE_REDIS_USERNAME: 'without-queue',
    TENANTSCOPE_REDIS_PASSWORD: 'secret',
  });
  await eventually('the refusal is logged', 30_000, async () =>
    jobs.output().includes('Redis does not allow the ACL user these keys; grant it as in docs/operations/tls.md'),
  );
  const before = await countRefused();
  await sleep(3_000);
  expect((await countRefused()) - before).toBeLessThan(100);
}, 60_000);

test('the api and jobs name the variable of a wrong login or certificate and continue to work', {
  tags: ['torture'],
  timeout: 300_000,
}, async () => {
  await using expired = await startExpiredServer(certificates.expired);
  await superuser.call('ACL', 'SETUSER', 'other', 'on', '>other', 'resetkeys', '-@all', '+info');
  const headers = await createKey();
  const login = { TENANTSCOPE_REDIS_USERNAME: 'other', TENANTSCOPE_REDIS_PASSWORD: 'other' };
  const wrong: [what: string, variables: Record<string, string>, message: RegExp][] = [
    [
      'a wrong password',
      { TENANTSCOPE_REDIS_PASSWORD: 'hunter2' },
      /Redis rejects the login; check TENANTSCOPE_REDIS_USERNAME/,
    ],
    [
      'an unknown authority',
      { TENANTSCOPE_REDIS_SSL_CA_FILE: certificates.otherCaFile },
      /unknown authority; set TENANTSCOPE_REDIS_SSL_CA_FILE/,
    ],
    [
      'a wrong host name',
      { TENANTSCOPE_REDIS_URL: `rediss://127.0.0.1:${port}` },
      /another host name.*TENANTSCOPE_REDIS_SSL_SERVERNAME/,
    ],
    [
      'an expired certificate',
      { TENANTSCOPE_REDIS_URL: `rediss://localhost:${expired.port}` },
      /Redis presents an expired certificate/,
    ],
    ['a missing ACL', login, /Redis does not allow the ACL user|NOPERM/],
  ];
  const report = async ([what, variables, message]: (typeof wrong)[number]) => {
    await using api = await startApi({ ...environment('api'), ...variables });
    await using jobs = await startProcess('jobs', { ...environment('jobs'), ...variables }, { waitUntilReady: false });
    const ping = async () => (await fetch(`${api.url}/ping`, { headers })).status;
    expect(await ping(), what).toBe(200);
    for (const each of [api, jobs]) {
      await eventually(`${what} is reported`, 20_000, async () => {
        // The api sends a command, which the ACL refuses, for a request only, and none while it is not connected.
        // Without Redis the process limits requests: a slow machine needs more of them than a minute allows.
        expect([200, 429], what).toContain(await ping());
        return message.test(each.output());
      });
      expect(each.output(), what).not.toContain('hunter2');
      expect(each.child.exitCode, what).toBeNull();
    }
    await eventually('jobs are ready without their queue', 15_000, jobs.ready);
  };
  // Together: one after the other took 39 s, of which the processes computed for 19.
  await Promise.all(wrong.map(report));
});
