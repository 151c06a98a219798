import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { containerServices } from './services/containers.ts';
import type { Services } from './services/driver.ts';
import { findEngine } from './services/engine.ts';

const engine = await findEngine();
if ('missing' in engine) console.log(`containers are skipped: ${engine.missing}`);
const buildTimeoutMs = 600_000;

describe.skipIf('missing' in engine)('in containers', () => {
  let services: Services;
  beforeAll(async () => {
    services = await containerServices();
  }, buildTimeoutMs);
  afterAll(() => services?.[Symbol.asyncDispose]());

  test('a row that is written to PostgreSQL is read again', async () => {
    const client = new pg.Client({ connectionString: services.postgres });
    await client.connect();
    await client.query('CREATE TABLE greeting (words text)');
    await client.query("INSERT INTO greeting VALUES ('żółw')");
    const { rows } = await client.query('SELECT words FROM greeting');
    await client.end();
    expect(rows).toEqual([{ words: 'żółw' }]);
  });

  test('a record that is produced to Kafka is consumed again', async () => {
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

  test('a value that is set in Redis is got again', async () => {
    const redis = new Redis(services.redis);
    await redis.set('greeting', 'hello');
    const value = await redis.get('greeting');
    redis.disconnect();
    expect(value).toBe('hello');
  });
});
