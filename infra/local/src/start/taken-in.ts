import { setTimeout as sleep } from 'node:timers/promises';
import { topicName, topics } from '@tenantscope/contract';
import { kafkaClient } from '@tenantscope/publish';
import { connectAdmin } from '@tenantscope/store';
import type { Environment } from './application.ts';

const timeoutMs = 120_000;

/** Waits until every record of activity that lies in Kafka now is a row or a dead letter; throws after two minutes. */
export async function untilTakenIn(environment: Environment): Promise<void> {
  const topic = topicName(environment.TENANTSCOPE_TOPIC_PREFIX ?? '', topics.activity);
  const kafka = kafkaClient({
    brokers: environment.TENANTSCOPE_KAFKA_BROKERS ?? '',
    clientId: 'tenantscope-start',
  }).admin();
  await kafka.connect();
  const ends = await kafka.fetchTopicOffsets(topic).finally(() => kafka.disconnect());

  const { TENANTSCOPE_ADMIN_DATABASE_URL: models = '', TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL: control = '' } =
    environment;
  await using admin = await connectAdmin({ models, control });
  for (const deadline = Date.now() + timeoutMs; ; await sleep(100)) {
    const lanes = (await admin.lanes.list()).filter((lane) => lane.topic === topic);
    const reached = ({ partition, high }: { partition: number; high: string }) =>
      high === '0' || lanes.some((lane) => lane.partition === partition && lane.nextOffset >= Number(high));
    if (ends.every(reached)) return;
    if (Date.now() > deadline) throw new Error(`ingest has not caught up with ${topic} after ${timeoutMs / 1000} s`);
  }
}

/** Waits until the API serves all that was taken in before now: a window that ends now is answered once it can gain no row. */
export async function untilServed(baseUrl: string, key: string): Promise<void> {
  const window = new URLSearchParams({ discoveredTo: new Date().toISOString(), limit: '1' });
  for (const deadline = Date.now() + timeoutMs; ; await sleep(100)) {
    const answer = await fetch(`${baseUrl}/logs?${window}`, { headers: { authorization: `Bearer ${key}` } });
    if (answer.ok) return;
    if (Date.now() > deadline) throw new Error(`the API does not serve logs: ${await answer.text()}`);
  }
}
