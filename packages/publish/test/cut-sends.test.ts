import { expect, test } from 'vitest';
import { cloudEvent, cutSends } from '../src/index.ts';

const message = (id: number, bytes: number) =>
  cloudEvent({
    id: `run/${id}`,
    source: '/collectors/test',
    type: 'tenantscope.raw.okta-system-log.v1',
    tenantId: '7d1d3f34-61a8-4a0e-9d55-52f9c7a3b001',
    timeMs: Date.UTC(2026, 0, 2),
    value: Buffer.alloc(bytes, 'x'),
  });

const cut = async (sizes: number[], maxBytes: number) => {
  const sends = [];
  for await (const send of cutSends(
    sizes.map((bytes, id) => message(id, bytes)),
    maxBytes,
  ))
    sends.push(send);
  return sends;
};

test('sends joined are the messages in their order, and none but a lone message is above the limit', async () => {
  const sizes = Array.from({ length: 500 }, (_, index) => (index * 7_919) % 30_000);
  const sends = await cut([...sizes, 900_000, 10, 800_000, 800_000], 700_000);
  const joined = sends.flatMap((send) => send.messages.map((part) => part.headers.ce_id));
  expect(joined).toEqual(Array.from({ length: 504 }, (_, id) => `run/${id}`));
  expect(sends.filter((send) => send.bytes > 700_000).map((send) => send.messages.length)).toEqual([1, 1, 1]);
});

test('many small messages are held below the limit by what their envelopes cost', async () => {
  const sends = await cut(
    Array.from({ length: 5_000 }, () => 1),
    100_000,
  );
  expect(sends.length).toBeGreaterThan(10);
});

test('nothing to send makes no send', async () => {
  expect(await cut([], 1_000)).toEqual([]);
});

test('a cloud event leaves the record untouched and says its time in UTC with milliseconds', () => {
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
