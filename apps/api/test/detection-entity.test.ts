import type { Detection } from '@tenantscope/contract';
import { expect, test } from 'vitest';
import { selectEntity } from '../src/records/detection-logs.ts';

test.each([
  ['user', ['user']],
  ['agent', ['user', 'applicationId', 'targetId']],
  ['device', ['deviceId', 'targetId']],
  ['site', ['targetId']],
  ['constructor', ['targetId']],
  ['__proto__', ['targetId']],
])('events about an entity of the type %s name it in %j', (type, filters) => {
  const entity: Detection['entity'] = { type, id: 'x', name: null };
  expect(selectEntity({ entity })).toEqual(Object.fromEntries(filters.map((filter) => [filter, ['x']])));
});
