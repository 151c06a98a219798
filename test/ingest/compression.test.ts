import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzipSync, zstdCompress } from 'node:zlib';
import { CompressionCodecs, CompressionTypes } from 'kafkajs';
import { compress as compressSnappy } from 'snappy';
import { expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { connectBroker } from '../installation/broker.ts';
import { eventually } from '../installation/eventually.ts';
import { startIngestInstallation } from '../installation/ingest-installation.ts';

CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: (encoder: { buffer: Buffer }) => promisify(zstdCompress)(encoder.buffer),
  decompress: () => Promise.reject(new Error('this test only writes')),
});
CompressionCodecs[CompressionTypes.Snappy] = () => ({
  compress: (encoder: { buffer: Buffer }) => compressSnappy(encoder.buffer),
  decompress: () => Promise.reject(new Error('this test only writes')),
});

const { installation, broker, inspector, ingest, topic } = await startIngestInstallation();

const several = (tenantId: string) =>
  Array.from({ length: 200 }, (_, number) => activityMessage(tenantId, activityRecord(number)));

test.each([
  ['gzip', CompressionTypes.GZIP],
  ['snappy, one bare block', CompressionTypes.Snappy],
  ['zstd', CompressionTypes.ZSTD],
])('messages compressed by a producer with %s become rows', async (_, compression) => {
  const { id } = await installation.createTenant();
  await broker.append(topic, 0, several(id), { compression });
  await eventually('its records are rows', 15_000, async () => (await inspector.rowCount(id)) === 200);
});

// The broker writes with the codecs of Java clients: snappy in frames, lz4 with checksums.
test.each(['gzip', 'snappy', 'lz4', 'zstd'])(
  'messages compressed by the Java client with %s become rows',
  async (codec) => {
    const { id } = await installation.createTenant();
    const configEntries = [{ name: 'compression.type', value: codec }];
    await broker.admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name: topic, configEntries }] });
    await broker.append(topic, 1, several(id));
    await eventually('its records are rows', 15_000, async () => (await inspector.rowCount(id)) === 200);
    expect(ingest.output()).not.toContain('"level":60');
  },
);

test('small values that expand to hundreds of megabytes become rows without as much memory', async () => {
  const residentBytes = () =>
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${ingest.child.pid}/status`, 'utf8'))?.[1]) * 1_024;
  const { id } = await installation.createTenant();
  const messages = Array.from({ length: 300 }, (_, number) => {
    const text = JSON.stringify(activityRecord(number, { Padding: 'x'.repeat(1_040_000) }));
    // The length at the end of a value of two archives is that of the second alone.
    const value = Buffer.concat([gzipSync(text.slice(0, -1)), gzipSync(text.slice(-1))]);
    return { ...activityMessage(id, ''), value };
  });
  const before = residentBytes();
  await broker.append(topic, 2, messages);
  await eventually('its records are rows', 120_000, async () => (await inspector.rowCount(id)) === 300);
  expect(residentBytes() - before).toBeLessThan(800 * 1_048_576);
}, 150_000);

test('partitions added while ingest runs are read without a restart', async () => {
  const { id } = await installation.createTenant();
  await broker.admin.createPartitions({ topicPartitions: [{ topic, count: 14 }] });
  await using fresh = await connectBroker(installation.environment.TENANTSCOPE_KAFKA_BROKERS ?? ''); // knows the new partitions
  await fresh.append(topic, 12, [activityMessage(id, activityRecord(1_000))]);
  await fresh.append(topic, 13, several(id));
  // Metadata is refreshed every 30 s.
  await eventually('their records are rows', 60_000, async () => (await inspector.rowCount(id)) === 201);
  expect((await installation.admin.lanes.list()).filter((lane) => lane.topic === topic)).toHaveLength(14);
});
