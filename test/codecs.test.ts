import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { CompressionCodecs, CompressionTypes } from 'kafkajs';
import { compress as compressSnappy } from 'snappy';
import { expect, test } from 'vitest';
import { connectBroker } from './product/broker.ts';
import { eventually } from './product/eventually.ts';
import { ingestingProduct } from './product/ingesting.ts';
import { activityMessage, activityRecord } from './product/records.ts';

CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: (encoder: { buffer: Buffer }) => promisify(zstdCompress)(encoder.buffer),
  decompress: () => Promise.reject(new Error('this test only writes')),
});
CompressionCodecs[CompressionTypes.Snappy] = () => ({
  compress: (encoder: { buffer: Buffer }) => compressSnappy(encoder.buffer),
  decompress: () => Promise.reject(new Error('this test only writes')),
});

const { running, broker, looking, ingest, topic } = await ingestingProduct();

const several = (tenantId: string) =>
  Array.from({ length: 200 }, (_, number) => activityMessage(tenantId, activityRecord(number)));

test.each([
  ['gzip', CompressionTypes.GZIP],
  ['snappy, one bare block', CompressionTypes.Snappy],
  ['zstd', CompressionTypes.ZSTD],
])('what a producer compressed with %s becomes rows', async (_, compression) => {
  const { id } = await running.tenant();
  await broker.append(topic, 0, several(id), { compression });
  await eventually('its records are rows', 15_000, async () => (await looking.rowCount(id)) === 200);
});

// The broker writes with the codecs of Java's clients: snappy in frames, lz4 with their checksums.
test.each(['gzip', 'snappy', 'lz4', 'zstd'])('what Java compressed with %s becomes rows', async (codec) => {
  const { id } = await running.tenant();
  const configEntries = [{ name: 'compression.type', value: codec }];
  await broker.admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name: topic, configEntries }] });
  await broker.append(topic, 1, several(id));
  await eventually('its records are rows', 15_000, async () => (await looking.rowCount(id)) === 200);
  expect(ingest.output()).not.toContain('"level":60');
});

test('partitions that are added while ingest runs are read without a restart', async () => {
  const { id } = await running.tenant();
  await broker.admin.createPartitions({ topicPartitions: [{ topic, count: 14 }] });
  await using fresh = await connectBroker(running.environment.TENANTSCOPE_KAFKA_BROKERS ?? ''); // knows the new partitions
  await fresh.append(topic, 12, [activityMessage(id, activityRecord(1_000))]);
  await fresh.append(topic, 13, several(id));
  // Metadata are read again each 30 s.
  await eventually('their records are rows', 60_000, async () => (await looking.rowCount(id)) === 201);
  expect((await running.admin.lanes.list()).filter((lane) => lane.topic === topic)).toHaveLength(14);
}, 90_000);
