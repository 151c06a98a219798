import { topics } from '@tenantscope/contract';
import { findFreePort, findProgram, spawnGuarded } from '@tenantscope/local';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { kafka, run } from './command-line.ts';

interface Finding {
  readonly subject: string;
  readonly result: string;
  readonly detail: string;
}

let installation: Installation;
beforeAll(async () => {
  installation = await startInstallation();
});
afterAll(() => installation?.[Symbol.asyncDispose]());

async function examine(changes: Record<string, string | undefined> = {}, args: readonly string[] = []) {
  const changed = Object.entries({ ...installation.environment, ...changes });
  const environment = Object.fromEntries(changed.filter((entry): entry is [string, string] => entry[1] !== undefined));
  const { status, stdout, stderr } = await run(['doctor', '--json', ...args], { environment });
  const { findings } = JSON.parse(stdout || '{"findings":[]}') as { findings: readonly Finding[] };
  const find = (subject: string) => findings.filter((finding) => finding.subject.startsWith(subject));
  return { status, stdout, stderr, findings, find };
}

async function alterTopic(topic: string, name: string, value: string): Promise<void> {
  const admin = kafka().admin();
  await admin.connect();
  const resource = { type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configEntries: [{ name, value }] };
  await admin.alterConfigs({ validateOnly: false, resources: [resource] });
  await admin.disconnect();
}

const withoutLogin = (url = '') => Object.assign(new URL(url), { password: 'not-this-one' }).href;

describe('doctor', () => {
  test('finds nothing in a sound installation', async () => {
    const { status, findings, stderr } = await examine({}, ['--backup-days', '1']);
    expect(stderr).toBe('');
    expect(findings.filter(({ result }) => result !== 'ok')).toEqual([]);
    expect(status).toBe(0);
    const logins = Object.keys(installation.environment).filter((name) => /_DATABASE_URL$/.test(name));
    for (const name of [...logins, 'TENANTSCOPE_REDIS_URL', 'TENANTSCOPE_KAFKA_BROKERS'])
      expect(
        findings.some(({ subject }) => subject.includes(name)),
        name,
      ).toBe(true);
  });

  test('shows a readable table', async () => {
    const { status, stdout } = await run(['doctor'], { environment: installation.environment });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^RESULT +CHECK +DETAIL\n/);
    expect(stdout).toMatch(/\nok +PostgreSQL, TENANTSCOPE_API_DATABASE_URL +version \d/);
  });

  test('refuses a superuser and a login that may create roles in the place of a process', async () => {
    const superuser = await examine({ TENANTSCOPE_API_DATABASE_URL: installation.database.superuser });
    expect(superuser.status).toBe(1);
    const [finding] = superuser.find('PostgreSQL, TENANTSCOPE_API_DATABASE_URL');
    expect(finding).toMatchObject({ result: 'failed', detail: expect.stringContaining('bypasses row-level security') });
    const owner = installation.environment.TENANTSCOPE_OWNER_DATABASE_URL;
    const { find } = await examine({ TENANTSCOPE_API_DATABASE_URL: owner });
    expect(find('PostgreSQL, TENANTSCOPE_API_DATABASE_URL')).toMatchObject([
      { result: 'failed', detail: expect.stringContaining('may create roles') },
    ]);
  });

  test('names the variable of a wrong password and not the password', async () => {
    const url = withoutLogin(installation.environment.TENANTSCOPE_JOBS_DATABASE_URL);
    const { status, find, stdout, stderr } = await examine({ TENANTSCOPE_JOBS_DATABASE_URL: url });
    expect(status).toBe(1);
    expect(find('PostgreSQL, TENANTSCOPE_JOBS_DATABASE_URL')).toMatchObject([
      { result: 'failed', detail: expect.stringMatching(/reject/) },
    ]);
    expect(`${stdout}${stderr}`).not.toContain('not-this-one');
    expect(stderr).toMatch(/1 of \d+ checks failed/);
  });

  test('reports each unreachable store within half a minute', async () => {
    const port = await findFreePort();
    const startedAt = performance.now();
    const { status, find } = await examine({
      TENANTSCOPE_API_DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/c`,
      TENANTSCOPE_KAFKA_BROKERS: `127.0.0.1:${port}`,
      TENANTSCOPE_REDIS_URL: `redis://127.0.0.1:${port}`,
    });
    expect(status).toBe(1);
    for (const subject of ['PostgreSQL, TENANTSCOPE_API_DATABASE_URL', 'Kafka', 'Redis'])
      expect(find(subject), subject).toMatchObject([
        { result: 'failed', detail: expect.stringMatching(/does not respond|ECONNREFUSED/) },
      ]);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  test('refuses a Redis that evicts keys', async () => {
    const port = await findFreePort();
    const server = spawnGuarded(
      [
        findProgram('redis-server') ?? findProgram('redis-check-rdb') ?? '',
        '--port',
        String(port),
        '--save',
        '',
        '--maxmemory-policy',
        'allkeys-lru',
      ],
      // One executable that behaves by the name it is called by.
      { argv0: 'redis-server', stdio: 'ignore', stopSignal: 'SIGTERM' },
    );
    try {
      const environment = { TENANTSCOPE_REDIS_URL: `redis://127.0.0.1:${port}` };
      await eventually('the finding', 30_000, async () =>
        (await examine(environment)).find('Redis').some(({ detail }) => detail.includes('allkeys-lru')),
      );
      const { status, find } = await examine(environment);
      expect(status).toBe(1);
      expect(find('Redis')).toMatchObject([{ result: 'failed', detail: expect.stringContaining('set noeviction') }]);
    } finally {
      server.kill();
    }
  });

  test('Kafka that may drop acknowledged records is refused by doctor and by migrate', async () => {
    const name = `${installation.environment.TENANTSCOPE_TOPIC_PREFIX}.${topics.detection.suffix}`;
    await alterTopic(name, 'unclean.leader.election.enable', 'true');
    try {
      await eventually('the setting', 30_000, async () =>
        (await examine()).find('Kafka, durability').some(({ result }) => result === 'failed'),
      );
      const { status, find } = await examine();
      expect(status).toBe(1);
      expect(find('Kafka, durability')).toMatchObject([{ detail: expect.stringContaining(`${name}: unclean.`) }]);
      const migrated = await run(['migrate'], { environment: installation.environment });
      expect([migrated.status, migrated.stderr]).toEqual([1, expect.stringContaining(`${name}: unclean.`)]);
    } finally {
      await alterTopic(name, 'unclean.leader.election.enable', 'false');
    }
    await eventually('the repaired setting', 30_000, async () =>
      (await examine()).find('Kafka, durability').some(({ result }) => result === 'ok'),
    );
    expect((await run(['migrate'], { environment: installation.environment })).status).toBe(0);
  });

  test('warns where Kafka retains records for a shorter time than the age of a backup', async () => {
    const name = `${installation.environment.TENANTSCOPE_TOPIC_PREFIX}.${topics.activity.suffix}`;
    await alterTopic(name, 'retention.ms', String(2 * 86_400_000));
    await eventually('the setting', 30_000, async () =>
      (await examine({}, ['--backup-days', '3'])).find('Kafka, retention').some(({ result }) => result === 'warning'),
    );
    const { status, find } = await examine({}, ['--backup-days', '3']);
    expect(find('Kafka, retention')).toMatchObject([
      { detail: expect.stringMatching(/retains 2\.0 days.*--backup-days is 3/) },
    ]);
    expect(status).toBe(0);
    expect((await examine({}, ['--backup-days', '2'])).find('Kafka, retention')).toMatchObject([{ result: 'ok' }]);
  });

  test('without topics there is nothing to check in them', async () => {
    const { status, find } = await examine({ TENANTSCOPE_TOPIC_PREFIX: 'nowhere' });
    expect(find('Kafka, topics')).toMatchObject([
      { result: 'not checked', detail: expect.stringContaining('tenantscope migrate') },
    ]);
    expect(status).toBe(0);
  });

  test('without variables there is nothing to check', async () => {
    const { status, stderr } = await run(['doctor'], { environment: {} });
    expect(status).toBe(2);
    expect(stderr).toContain('no variable of a store is set');
  });
});
