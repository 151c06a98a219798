import type { Detection } from '@tenantscope/contract';
import type { ReadModels } from '@tenantscope/store/read';
import { expect, test } from 'vitest';
import { addOtherIds, selectEntity } from '../src/records/detection-logs.ts';

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

test.each(['mailbox', 'constructor', '__proto__'])(
  'an entity of the type %s, of which there are no records, has no other ids',
  async (type) => {
    const entity: Detection['entity'] = { type, id: 'x', name: null };
    const query = {
      tenantId: 'a',
      filters: selectEntity({ entity }),
      timeoutMs: 1_000,
      signal: new AbortController().signal,
    };
    expect(await addOtherIds({} as ReadModels, query, { entity })).toEqual({ targetId: ['x'] });
  },
);
