import { expect, test } from 'vitest';
import { createCloudEventMessage, splitIntoBatches } from '../src/index.ts';

const message = (id: number, bytes: number) =>
  createCloudEventMessage({
    id: `run/${id}`,
    source: '/collectors/test',
    type: 'tenantscope.raw.okta-system-log.v1',
    tenantId: '7d1d3f34-61a8-4a0e-9d55-52f9c7a3b001',
    timeMs: Date.UTC(2026, 0, 2),
    value: Buffer.alloc(bytes, 'x'),
  });

const split = async (sizes: number[], maxBytes: number) => {
  const batches = [];
  for await (const batch of splitIntoBatches(
    sizes.map((bytes, id) => message(id, bytes)),
    maxBytes,
  ))
    batches.push(batch);
  return batches;
};

test('batches joined equal the messages in their order, and only a batch of one message exceeds the limit', {
  tags: 'exhaustive',
}, async () => {
  const sizes = Array.from({ length: 500 }, (_, index) => (index * 7_919) % 30_000);
  const batches = await split([...sizes, 900_000, 10, 800_000, 800_000], 700_000);
  const joined = batches.flatMap((batch) => batch.messages.map((part) => part.headers.ce_id));
  expect(joined).toEqual(Array.from({ length: 504 }, (_, id) => `run/${id}`));
  expect(batches.filter((batch) => batch.bytes > 700_000).map((batch) => batch.messages.length)).toEqual([1, 1, 1]);
});

test('the size of small messages includes the record overhead', async () => {
  const batches = await split(
    Array.from({ length: 5_000 }, () => 1),
    100_000,
  );
  expect(batches.length).toBeGreaterThan(10);
});

test('no messages give no batch', async () => {
  expect(await split([], 1_000)).toEqual([]);
});

test('a cloud event contains the unchanged record and its time in UTC with milliseconds', () => {
  const event = message(7, 3);
  expect(event.value?.toString()).toBe('xxx');
  expect(event.key).toBe('7d1d3f34-61a8-4a0e-9d55-52f9c7a3b001');
  expect(event.headers).toEqual({
    ce_specversion: '1.0',
    ce_id: 'run/7',
    ce_source: '/collectors/test',
    ce_type: 'tenantscope.raw.okta-system-log.v1',
    ce_tenantid: '7d1d3f34-61a8-4a0e-9d55-52f9c7a3b001',
    ce_time: '2026-01-02T00:00:00.000Z',
    'content-type': 'application/json',
  });
});
