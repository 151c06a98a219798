import { setTimeout as sleep } from 'node:timers/promises';
import { topicName, topics } from '@tenantscope/contract';
import { toEventType } from '@tenantscope/intake';
import { connectPublisher, createCloudEventMessage } from '@tenantscope/publish';
import { connectAdmin } from '@tenantscope/store/admin';
import type { CompressionTypes } from 'kafkajs';
import pg from 'pg';
import { connectBroker } from '../installation/broker.ts';
import { placeholders } from '../installation/compressed-blanks.ts';
import { eventually } from '../installation/eventually.ts';
import type { BenchDatabase, BenchInstallation } from './installation.ts';
import type { BenchTenant } from './workload.ts';

/** Invalid records of one tenant, and a batch on another lane whose content exceeds the bound of decompression. */
export interface BadProducer {
  readonly tenant: BenchTenant;
  readonly invalidRate: number;
  readonly poisonedPartition: number;
  /** By `writeBlanks`, which takes 0.2 s of a processor: before the phase. */
  readonly compression: CompressionTypes;
}

const sendsPerSecond = 10;
const resumeIntervalMs = 5_000;
/** 640 MiB of blanks, 20 kB compressed. */
export const blanks = { codec: 'zstd', count: 10, bytesEach: 64 * 1_048_576 } as const;

/** Produces for this time, while an operator resumes the lane that each undecodable batch stops, so that the batch is decoded again. */
export async function runBadProducer(
  installation: BenchInstallation,
  database: BenchDatabase,
  producer: BadProducer,
  durationMs: number,
): Promise<void> {
  const topic = topicName(database.topicPrefix, topics.activity);
  await Promise.all([
    sendInvalid(installation, topic, producer, durationMs),
    sendUndecodable(installation, database, topic, producer, durationMs),
  ]);
}

async function sendInvalid(
  { services }: BenchInstallation,
  topic: string,
  { tenant, invalidRate }: BadProducer,
  durationMs: number,
): Promise<void> {
  await using publisher = await connectPublisher({ brokers: services.kafka, clientId: 'bench' });
  for (let number = 0; number < (durationMs / 1_000) * sendsPerSecond; number++) {
    const messages = Array.from({ length: invalidRate / sendsPerSecond }, (_, index) =>
      createCloudEventMessage({
        id: `${number}-${index}`,
        source: '/collectors/bench',
        type: toEventType('o365.management-activity'),
        tenantId: tenant.id,
        timeMs: Date.now(),
        value: Buffer.from(`{"Id": "${number}-${index}", "Operation": ${'['.repeat(1 + (index % 5))}`),
      }),
    );
    await Promise.all([publisher.send(topic, messages), sleep(1_000 / sendsPerSecond)]);
  }
}

async function sendUndecodable(
  { services }: BenchInstallation,
  database: BenchDatabase,
  topic: string,
  { poisonedPartition, compression }: BadProducer,
  durationMs: number,
): Promise<void> {
  const endAt = performance.now() + durationMs;
  await using broker = await connectBroker(services.kafka);
  await using admin = await connectAdmin({ models: database.roles.admin, control: database.roles.admin }, 'cli:bench');
  // Not the list of lanes that operators see: polled for the state alone, it took as much of the server as a page.
  const client = new pg.Client({ connectionString: database.superuser });
  await client.connect();
  const isStopped = async () => {
    const { rows } = await client.query(
      `select from models.ingest_lane where topic = $1 and partition = $2 and state = 'stopped'`,
      [topic, poisonedPartition],
    );
    return rows.length > 0;
  };
  await broker.append(topic, poisonedPartition, placeholders(blanks), { compression });
  while (performance.now() < endAt) {
    await eventually('the lane of the undecodable batch is stopped', 30_000, isStopped);
    await sleep(resumeIntervalMs);
    await admin.lanes.resume({ cluster: 'main', topic, partition: poisonedPartition });
  }
  await client.end();
}
