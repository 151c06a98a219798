import { expect, test } from 'vitest';
import { deriveTopicId, identifyTopic, isDerivedTopicId } from '../src/log-end/topic-identity.ts';

const topicId = '0b9f6e0e-6b0a-4c8e-9b54-2f0f5c8d7a10';
const zeros = '00000000-0000-0000-0000-000000000000';
const metadata = (id: string | null, topic: string) => ({ id, topics: new Map([['t', { id: topic }]]) });
const main = { brokers: 'kafka:9092' };
const further = { brokers: 'a.servicebus.windows.net:9093, b:9093', cluster: 'event-hubs' };

test('a topic is identified by the ids of the cluster and the topic', () => {
  for (const connection of [main, further])
    expect(identifyTopic(connection, metadata('c', topicId.toUpperCase()), 't')).toEqual({ clusterId: 'c', topicId });
});

test.each([
  ['the client returns the name in place of the id', 'c', 't'],
  ['an older broker returns zeros', 'c', zeros],
  ['the broker has no cluster id', null, topicId],
])('the main cluster is refused where %s', (_, id, topic) => {
  expect(identifyTopic(main, metadata(id, topic), 't')).toBeNull();
});

test('without topic ids the name identifies a topic of a further cluster', () => {
  const derived = deriveTopicId('c', 't');
  expect(derived).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  for (const id of ['t', zeros])
    expect(identifyTopic(further, metadata('c', id), 't')).toEqual({ clusterId: 'c', topicId: derived });
  expect(isDerivedTopicId(derived)).toBe(true);
  expect(isDerivedTopicId(topicId)).toBe(false);
  expect(new Set([derived, deriveTopicId('c', 'u'), deriveTopicId('d', 't'), deriveTopicId('c', '')]).size).toBe(4);
});

test('without a cluster id the first address identifies a further cluster', () => {
  expect(identifyTopic(further, metadata(null, 't'), 't')).toEqual({
    clusterId: 'a.servicebus.windows.net:9093',
    topicId: deriveTopicId('a.servicebus.windows.net:9093', 't'),
  });
});
