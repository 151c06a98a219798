import {
  getDetection,
  getPolicyScan,
  type List,
  listActions,
  listDetections,
  listNotifications,
  listPolicyScans,
  type Operation,
  operations,
} from '@tenantscope/contract';
import { describe, expect, test } from 'vitest';

const head = ['id', 'updatedAt', 'version', 'changeId', 'tenantId'];

const feeds: readonly [list: List, time: string, fields: string, filters: string][] = [
  [
    listDetections,
    'openedAt',
    'kind severity status stateful openedAt lastSeenAt resolvedAt summary detector entity details',
    'status includeInfoTier severity kind level detectorId entityType entityId actionGroup',
  ],
  [
    listPolicyScans,
    'scannedAt',
    'name severity status isResolved resourceType resources assignedUser description createdFrom scannedAt resolvedAt',
    'severity status isResolved resourceType policyId',
  ],
  [
    listNotifications,
    'createdAt',
    'createdAt source kind channel decision reason policyId policyName subjectType subjectId subjectCount resourceType ' +
      'resourceId severity recipients recipientSource senderMode mailSubject',
    'decision source kind channel severity policyId subjectType resourceId',
  ],
  [
    listActions,
    'createdAt',
    'actionName actionType policyId policyName actorId actorName actorKind rollupRung itemsTotal itemsSettled failedCount ' +
      'hasFailures isSimulated isIrreversible revertBucket resourceType resourceId resourceName askerCount askerNames ' +
      'actionArguments createdAt dueAt acknowledgedAt',
    'rung actionType policyId actorKind resourceType resourceId isSimulated isIrreversible hasFailures revertBucket',
  ],
];

describe.each(feeds.map((feed) => [feed[0].name, ...feed] as const))('%s', (_name, list, time, fields, filters) => {
  test('lists the fields of its record in their order, after those of every mutable record', () => {
    expect(Object.keys(list.record.shape)).toEqual([...head, ...fields.split(' ')]);
  });

  test('accepts its filters and both windows, and sorts newest first by default', () => {
    expect(Object.keys(list.parameters)).toEqual([
      ...filters.split(' '),
      'from',
      'to',
      'updatedFrom',
      'updatedTo',
      'sort',
      ...(list.hasViews ? ['view'] : []),
      'limit',
      'cursor',
    ]);
    expect(list.sorts).toEqual([`${time}Desc`, `${time}Asc`, 'updatedAtAsc']);
    expect(list.windows).toMatchObject({ [time]: { clock: 'upstream' }, updatedAt: { clock: 'write' } });
  });
});

test('a policy scan by id has its policy and automations, and a detection by id has the fields of its row', () => {
  const row = Object.keys(listPolicyScans.record.shape);
  expect(Object.keys(getPolicyScan.record.shape)).toEqual([...row, 'policyId', 'automations']);
  expect(getDetection.record).toBe(listDetections.record);
});

test('every vocabulary is that of a member of the rows', () => {
  const every: readonly Operation[] = operations;
  const filters = every
    .flatMap((operation) => (operation.kind === 'list' ? [operation] : []))
    .flatMap((list) => Object.values<List['filters'][string]>(list.filters).map((filter) => ({ list, filter })));
  const paths = filters.flatMap(({ list, filter }) =>
    filter.kind === 'texts' && filter.vocabulary ? [{ list, path: filter.vocabulary }] : [],
  );
  expect(paths.length).toBeGreaterThan(0);
  for (const { list, path } of paths) expect(Object.keys(list.record.shape)).toContain(path.split('.')[0]);
});
