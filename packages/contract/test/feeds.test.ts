import {
  entities,
  entityKinds,
  feedNames,
  feeds,
  findFeedByTopic,
  listFeedTopics,
  operations,
  recordTopicNames,
  type Scope,
  scopeGroups,
  scopes,
  sourceByRecordName,
  topicName,
  topics,
} from '@tenantscope/contract';
import { expect, test } from 'vitest';

test('every topic but that of the directory belongs to exactly one feed', () => {
  const own = feedNames.flatMap((name): readonly string[] => feeds[name].topics);
  expect(own.toSorted()).toEqual(
    Object.keys(topics)
      .filter((name) => name !== 'tenant')
      .toSorted(),
  );
  expect(recordTopicNames).toEqual(own.filter((name) => name !== 'activity'));
});

test('a feed depends on its own topics first and then on those of other feeds that write its rows', () => {
  expect(listFeedTopics('securityAlerts')).toEqual(['raw.alert.v1', 'raw.activity.v1']);
  expect(listFeedTopics('entities')).toEqual(['entity.v1', 'raw.entity.v1']);
  expect(listFeedTopics('agents')).toEqual(['entity.v1', 'raw.entity.v1', 'raw.activity.v1']);
});

test('the feed of a topic is found under any prefix', () => {
  for (const prefix of ['tenantscope', 'eu.prod'])
    expect(findFeedByTopic(topicName(prefix, topics.rawEntity))).toBe('entities');
  expect(findFeedByTopic('raw.activity.v1')).toBe('logs');
  expect(findFeedByTopic('tenantscope.tenant.v1')).toBeNull();
});

test('every scope belongs to a feed, and every entity scope to the feed of entities', () => {
  expect(Object.keys(scopeGroups).toSorted()).toEqual([...scopes].toSorted());
  for (const kind of entityKinds) expect(scopeGroups[entities[kind].list.scope as Scope]).toBe('entities');
});

test('every entity kind has a source, and every reference an operation', () => {
  for (const kind of entityKinds)
    expect({ ...feeds.entities.sources, ...feeds.agents.sources }).toHaveProperty(sourceByRecordName[kind]);
  const names = operations.map(({ name }): string => name);
  for (const name of feedNames) {
    const { reference } = feeds[name];
    if (reference !== null) expect(names).toContain(reference.getOperation);
  }
});
