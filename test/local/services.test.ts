import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive, type LocalServices, startServices, startTemporaryServices } from '@tenantscope/local';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

describe('services of a run', () => {
  let services: LocalServices;
  beforeAll(async () => {
    services = await startTemporaryServices();
  });
  afterAll(() => services[Symbol.asyncDispose]());

  test('restarted or killed services return on the same address with their data', async () => {
    const topic = 'stored';
    await onKafka(services.kafka, (admin) => admin.createTopics({ topics: [{ topic, numPartitions: 3 }] }));
    await query(services.postgres, "CREATE TABLE stored AS SELECT 'here' AS note");
    await onRedis(services.redis, (redis) => redis.set('stored', 'here'));

    const all = [services.kafkaService, services.postgresService, services.redisService];
    await Promise.all(all.map((service) => service.restart()));
    await Promise.all(all.map((service) => service.kill()));
    expect(all.map((service) => service.pid)).toEqual([null, null, null]);
    await Promise.all(all.map((service) => service.restart()));

    expect(await onKafka(services.kafka, (admin) => admin.listTopics())).toContain(topic);
    expect(await query(services.postgres, 'SELECT note FROM stored')).toEqual([{ note: 'here' }]);
    expect(await onRedis(services.redis, (redis) => redis.get('stored'))).toBe('here');
  });

  test('a paused service does not respond on open connections and continues when resumed', async () => {
    const client = new pg.Client({ connectionString: services.postgres });
    const redis = new Redis(services.redis);
    await client.connect();
    await redis.ping();
    services.postgresService.pause();
    services.redisService.pause();
    const replies = Promise.all([client.query('SELECT 1 AS one'), redis.ping()]);
    const first = await Promise.race([replies, sleep(500, 'silence')]);
    services.postgresService.resume();
    services.redisService.resume();
    const [{ rows }, pong] = await replies;
    await client.end();
    redis.disconnect();
    expect({ first, rows, pong }).toEqual({ first: 'silence', rows: [{ one: 1 }], pong: 'PONG' });
  });
});

test('services end when their parent is killed, even while paused', async () => {
  const parent = await anotherRun();
  await parent.end();
  await vi.waitFor(() => expect(parent.services.filter(isProcessAlive)).toEqual([]), {
    timeout: 15_000,
    interval: 100,
  });
  await parent.remove();
});

test('a run ends the leftover services of a killed run and starts on its data', async () => {
  const parent = await anotherRun({ guarded: false });
  await parent.end();
  expect(parent.services.every(isProcessAlive)).toBe(true);

  const services = await startServices({ directory: parent.directory, only: ['postgres', 'redis'] });
  expect(parent.services.filter(isProcessAlive)).toEqual([]);
  expect(await query(services.postgres, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await services[Symbol.asyncDispose]();
  await parent.remove();
});

test('a second run on the directory of a running one is rejected', async () => {
  const parent = await anotherRun();
  const second = startServices({ directory: parent.directory, only: ['redis'] });
  await expect(second).rejects.toThrow(/already running services/);
  await parent.end();
  await parent.remove();
});

test('a URL in the environment replaces a service', async () => {
  vi.stubEnv('TENANTSCOPE_REDIS_URL', 'redis://redis.example:6379');
  const services = await startTemporaryServices({ only: ['redis'] });
  vi.unstubAllEnvs();
  await services[Symbol.asyncDispose]();
  expect({ address: services.redis, pid: services.redisService.pid }).toEqual({
    address: 'redis://redis.example:6379',
    pid: null,
  });
});

test('an occupied port is reported and never mistaken for the service', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const directory = await mkdtemp('/var/tmp/tenantscope-taken-');
  const start = startServices({ directory, only: ['redis'], ports: { redis: port } });
  await expect(start).rejects.toThrow(`redis cannot start: port ${port} of 127.0.0.1 is in use`);
  server.close();
  await rm(directory, { recursive: true });
});

/** A process that runs PostgreSQL and Redis, to be killed without warning. */
async function anotherRun({ guarded = true } = {}) {
  const directory = await mkdtemp('/var/tmp/tenantscope-other-');
  await chmod(directory, 0o711);
  const child = spawn(process.execPath, [join(import.meta.dirname, 'second-run.ts'), directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = await once(lines, 'line');
  const { services, guards } = JSON.parse(line) as { services: number[]; guards: number[] };
  // Without this the guards of a changed command line would not be found, and the services that should be left would end.
  expect(guards).toHaveLength(services.length);
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
