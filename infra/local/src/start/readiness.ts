import { setTimeout as sleep } from 'node:timers/promises';
import { readAdminUrls, readKafkaSettings } from '@tenantscope/cli/config';
import { type List, operations, topicName, topics } from '@tenantscope/contract';
import { createKafkaClient } from '@tenantscope/publish';
import { connectAdmin } from '@tenantscope/store/admin';
import type { EnvironmentVariables } from './application.ts';

const timeoutMs = 120_000;

/** Waits until every record that is in Kafka now is stored or dead-lettered; throws after two minutes. */
export async function waitForIngestion(environment: EnvironmentVariables): Promise<void> {
  const { connection, topicPrefix: prefix } = readKafkaSettings(environment);
  const kafka = createKafkaClient({ ...connection, clientId: 'tenantscope-start' }).admin();
  await kafka.connect();
  const ends: { topic: string; partition: number; next: number }[] = [];
  try {
    for (const topic of Object.values(topics).map((each) => topicName(prefix, each))) {
      const offsets = await kafka.fetchTopicOffsets(topic);
      ends.push(...offsets.map(({ partition, high }) => ({ topic, partition, next: Number(high) })));
    }
  } finally {
    await kafka.disconnect();
  }

  await using admin = await connectAdmin(readAdminUrls(environment), 'cli:start');
  for (const deadline = Date.now() + timeoutMs; ; await sleep(100)) {
    const lanes = await admin.lanes.list();
    const behind = ends.find(
      ({ topic, partition, next }) =>
        next > 0 &&
        !lanes.some((lane) => lane.topic === topic && lane.partition === partition && lane.nextOffset >= next),
    );
    if (behind === undefined) return;
    if (Date.now() > deadline) {
      throw new Error(`ingest has not processed ${behind.topic} within ${timeoutMs / 1000} s`);
    }
  }
}

/** Waits until the API serves all records stored before now: a window that ends now is served when no more rows can be added to it. */
export async function waitForApi(baseUrl: string, key: string): Promise<void> {
  const now = new Date().toISOString();
  for (const operation of operations) {
    if (operation.kind === 'list' && Object.keys(operation.windows).length > 0)
      await untilSettled(baseUrl, key, operation, now);
  }
}

async function untilSettled(baseUrl: string, key: string, { path, windows }: List, now: string): Promise<void> {
  const written = Object.values(windows).find(({ clock }) => clock === 'write');
  const window = new URLSearchParams({ [written?.to ?? 'to']: now, limit: '1' });
  for (const deadline = Date.now() + timeoutMs; ; await sleep(100)) {
    const response = await fetch(`${baseUrl}${path}?${window}`, { headers: { authorization: `Bearer ${key}` } });
    if (response.ok) return;
    if (Date.now() > deadline) throw new Error(`the API does not serve ${path}: ${await response.text()}`);
  }
}
