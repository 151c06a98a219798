import type { Message, Publisher } from '@tenantscope/publish';
import type { ClaimedStream } from '@tenantscope/store/collect';
import { expect, test } from 'vitest';
import { createRecordPublisher } from '../src/collection/record-publisher.ts';

test('a record that is too long is a gap at its own time, and the others are published', async () => {
  const sent: Message[] = [];
  const publisher = {
    publish: async (_: string, messages: Iterable<Message>) => sent.push(...messages),
  } as unknown as Publisher;
  const stream = { tenantId: 't', provider: 'okta', stream: 'system-log', topicPrefix: null } as ClaimedStream & {
    topicPrefix: null;
  };
  const [eventMs, nowMs] = [Date.UTC(2026, 8, 1), Date.UTC(2026, 10, 20)];
  const records = ['a', 'x'.repeat(1_048_576), 'b'].map((uuid) => Buffer.from(JSON.stringify({ uuid })));
  const { publish } = createRecordPublisher(publisher, 'tenantscope', 'localhost:9092');
  const at = new Date(eventMs).toISOString();
  expect(await publish(stream, { records, times: [1, eventMs, 2] }, nowMs)).toEqual([
    { from: at, to: at, reason: 'a record of 1048587 bytes is longer than 1048576 bytes' },
  ]);
  expect(sent.map(({ value }) => String(value))).toEqual(['{"uuid":"a"}', '{"uuid":"b"}']);
  const requested = new Date(nowMs).toISOString();
  expect(await publish(stream, { records }, nowMs)).toMatchObject([{ from: requested, to: requested }]);
});
