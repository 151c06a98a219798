import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, type LocalServices, startServices, temporaryServices } from '@tenantscope/local';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

describe('services of a run', () => {
  let services: LocalServices;
  beforeAll(async () => {
    services = await temporaryServices();
  });
  afterAll(() => services[Symbol.asyncDispose]());

  test('restarted or killed, they come back on the same address with what they held', async () => {
    const topic = 'kept';
    await onKafka(services.kafka, (admin) => admin.createTopics({ topics: [{ topic, numPartitions: 3 }] }));
    await query(services.postgres, "CREATE TABLE kept AS SELECT 'here' AS words");
    await onRedis(services.redis, (redis) => redis.set('kept', 'here'));

    const all = [services.kafkaService, services.postgresService, services.redisService];
    await Promise.all(all.map((service) => service.restart()));
    await Promise.all(all.map((service) => service.kill()));
    expect(all.map((service) => service.pid)).toEqual([null, null, null]);
    await Promise.all(all.map((service) => service.restart()));

    expect(await onKafka(services.kafka, (admin) => admin.listTopics())).toContain(topic);
    expect(await query(services.postgres, 'SELECT words FROM kept')).toEqual([{ words: 'here' }]);
    expect(await onRedis(services.redis, (redis) => redis.get('kept'))).toBe('here');
  }, 60_000);

  test('a paused one answers nobody, not even on a connection that is open, and goes on where it stood when resumed', async () => {
    const client = new pg.Client({ connectionString: services.postgres });
    const redis = new Redis(services.redis);
    await client.connect();
    await redis.ping();
    services.postgresService.pause();
    services.redisService.pause();
    const answers = Promise.all([client.query('SELECT 1 AS one'), redis.ping()]);
    const first = await Promise.race([answers, sleep(500, 'silence')]);
    services.postgresService.resume();
    services.redisService.resume();
    const [{ rows }, pong] = await answers;
    await client.end();
    redis.disconnect();
    expect({ first, rows, pong }).toEqual({ first: 'silence', rows: [{ one: 1 }], pong: 'PONG' });
  });
});

test('they end when their parent is killed, even while they are paused', async () => {
  const parent = await anotherRun();
  await parent.end();
  await vi.waitFor(() => expect(parent.services.filter(isAlive)).toEqual([]), { timeout: 15_000, interval: 100 });
  await parent.remove();
});

test('a run that finds leftovers of a killed one ends them and starts on its data', async () => {
  const parent = await anotherRun({ guarded: false });
  await parent.end();
  expect(parent.services.every(isAlive)).toBe(true);

  const services = await startServices({ directory: parent.directory, only: ['postgres', 'redis'] });
  expect(parent.services.filter(isAlive)).toEqual([]);
  expect(await query(services.postgres, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await services[Symbol.asyncDispose]();
  await parent.remove();
});

test('a second run on the directory of a living one is refused', async () => {
  const parent = await anotherRun();
  const second = startServices({ directory: parent.directory, only: ['redis'] });
  await expect(second).rejects.toThrow(/already running services/);
  await parent.end();
  await parent.remove();
});

test('a URL given by environment takes the place of a service', async () => {
  vi.stubEnv('TENANTSCOPE_REDIS_URL', 'redis://redis.example:6379');
  const services = await temporaryServices({ only: ['redis'] });
  vi.unstubAllEnvs();
  await services[Symbol.asyncDispose]();
  expect({ address: services.redis, pid: services.redisService.pid }).toEqual({
    address: 'redis://redis.example:6379',
    pid: null,
  });
});

test('a port that is taken is said, never mistaken for the service', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const directory = await mkdtemp('/var/tmp/tenantscope-taken-');
  const start = startServices({ directory, only: ['redis'], ports: { redis: port } });
  await expect(start).rejects.toThrow(`redis cannot start: port ${port} of 127.0.0.1 is taken`);
  server.close();
  await rm(directory, { recursive: true });
});

/** A process of its own that runs PostgreSQL and Redis, to be killed without warning. */
async function anotherRun({ guarded = true } = {}) {
  const directory = await mkdtemp('/var/tmp/tenantscope-other-');
  await chmod(directory, 0o711);
  const child = spawn(process.execPath, [join(import.meta.dirname, 'services', 'another-run.ts'), directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = await once(lines, 'line');
  const { services, guards } = JSON.parse(line) as { services: number[]; guards: number[] };
  if (!guarded) for (const pid of guards) process.kill(pid, 'SIGKILL');
  return {
    directory,
    services,
    async end() {
      if (guarded) process.kill(services[0] ?? 0, 'SIGSTOP');
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

async function onRedis<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  const result = await work(redis);
  redis.disconnect();
  return result;
}

async function onKafka<T>(broker: string, work: (admin: ReturnType<Kafka['admin']>) => Promise<T>): Promise<T> {
  const admin = new Kafka({ brokers: [broker], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const result = await work(admin);
  await admin.disconnect();
  return result;
}
