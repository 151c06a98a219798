import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { containerServices } from './containers.ts';
import { findEngine } from './engine.ts';
import type { Services } from './test-services.ts';

const engine = await findEngine();
if ('missing' in engine) console.log(`containers are skipped: ${engine.missing}`);
const buildTimeoutMs = 600_000;

describe.skipIf('missing' in engine)('services in containers', { tags: ['containers'] }, () => {
  let services: Services;
  beforeAll(async () => {
    services = await containerServices();
  }, buildTimeoutMs);
  afterAll(() => services?.[Symbol.asyncDispose]());

  test('PostgreSQL returns a written row', async () => {
    const client = new pg.Client({ connectionString: services.postgres });
    await client.connect();
    await client.query('CREATE TABLE greeting (note text)');
    await client.query("INSERT INTO greeting VALUES ('żółw')");
    const { rows } = await client.query('SELECT note FROM greeting');
    await client.end();
    expect(rows).toEqual([{ note: 'żółw' }]);
  });

  test('Kafka returns a produced record', async () => {
    const kafka = new Kafka({ brokers: [services.kafka], logLevel: logLevel.NOTHING });
    const value = randomUUID();
    const admin = kafka.admin();
    await admin.createTopics({ topics: [{ topic: 'greetings', numPartitions: 1 }] });
    const producer = kafka.producer();
    await producer.connect();
    await producer.send({ topic: 'greetings', messages: [{ value }] });
    const consumer = kafka.consumer({ groupId: 'readers' });
    await consumer.subscribe({ topic: 'greetings', fromBeginning: true });
    const received = await new Promise((resolve) =>
      consumer.run({ eachMessage: async ({ message }) => resolve(message.value?.toString()) }),
    );
    await Promise.all([consumer.disconnect(), producer.disconnect(), admin.disconnect()]);
    expect(received).toBe(value);
  });

  test('Redis returns a stored value', async () => {
    const redis = new Redis(services.redis);
    await redis.set('greeting', 'hello');
    const value = await redis.get('greeting');
    redis.disconnect();
    expect(value).toBe('hello');
  });
});
