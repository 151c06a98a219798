import { deadLetterReasons } from '@tenantscope/intake';
import { createLog, createMetrics } from '@tenantscope/runtime';
import { expect, test } from 'vitest';
import { createIngestMetrics } from '../src/ingest-metrics.ts';

const scene = () => {
  const metrics = createMetrics('ingest');
  const ingest = createIngestMetrics(createLog({ name: 'ingest', level: 'silent' }), metrics);
  const read = async (name: string) => {
    const text = await metrics.registry.getSingleMetricAsString(name);
    return text.split('\n').filter((line) => line.startsWith(name));
  };
  return { ingest, read };
};

test('dead letters that were pending before the process started are no increase', async () => {
  const { ingest, read } = scene();
  const name = 'tenantscope_dead_letters_pending';
  expect(await read(name)).toEqual([]);
  ingest.setPendingDeadLetters(new Map([['UNKNOWN_TENANT', 50]]));
  const lines = await read(name);
  expect(lines).toHaveLength(deadLetterReasons.length);
  expect(lines.filter((line) => !line.endsWith(' 0'))).toEqual([`${name}{reason="UNKNOWN_TENANT"} 50`]);
});

test('how far ahead log partitions exist is no number before it was read', async () => {
  const { ingest, read } = scene();
  const name = 'tenantscope_ingest_log_partitions_ahead_seconds';
  expect((await read(name)).map((line) => Number(line.split(' ')[1]))).toEqual([Number.NaN]);
  ingest.setPartitionsAhead(28);
  expect(await read(name)).toEqual([`${name} ${28 * 86_400}`]);
});
