import { compareFile, type ExpectedFile, listDisagreements, renderComparison } from '@tenantscope/docs';
import { expect, test } from 'vitest';

const record = {
  CreationTime: '2026-11-20T08:15:30',
  Id: '5f0c1d2e-1111-4222-8333-944455556666',
  Operation: 'FileDownloaded',
  RecordType: 6,
  Workload: 'SharePoint',
  UserId: 'Ada@contoso.example',
  ClientIP: '203.0.113.7',
};
const expected = {
  '@timestamp': '2026-11-20T08:15:30.000Z',
  event: { action: 'FileDownloaded', code: 'SharePointFileOperation', kind: 'event', original: '{"UserId":"x"}' },
  source: { ip: ['203.0.113.7'] },
  user: { name: 'ada', domain: 'contoso.example' },
  ecs: { version: '8' },
};
const file = (outputs: readonly unknown[], records: readonly unknown[] = outputs.map(() => record)): ExpectedFile => ({
  name: 'o365/own.o365.management-activity',
  format: 'o365.management-activity',
  expectedFormat: 'elastic-ecs',
  records: records.map((each) => JSON.stringify(each)),
  expected: outputs.map((each) => JSON.stringify(each)),
});

test('an output is compared path by path with the members that correspond to it', () => {
  const comparison = compareFile(file([expected]));
  expect(comparison.paths).toEqual(
    ['@timestamp', 'event.action', 'event.code', 'source.ip', 'user.domain', 'user.name'].map((path) => ({
      path,
      compared: 1,
      differences: [],
    })),
  );
  expect(comparison.withoutCounterpart.map(({ path }) => path)).toEqual(['ecs.version', 'event.kind']);
  expect(listDisagreements(comparison)).toEqual([]);
});

test('a value that ours does not have, and one of several, is a difference that nothing explains', () => {
  const comparison = compareFile(
    file([
      null,
      { ...expected, '@timestamp': '2026-11-20T09:15:30.000Z' },
      { ...expected, source: { ip: ['203.0.113.7', '203.0.113.8'] } },
      { event: { id: 'another' } },
    ]),
  );
  expect(listDisagreements(comparison)).toEqual([
    'o365/own.o365.management-activity @timestamp 1: not explained',
    'o365/own.o365.management-activity event.id 3: not explained',
    'o365/own.o365.management-activity source.ip 2: not explained',
  ]);
});

test('a path in no table and a rejected record are not explained', () => {
  const comparison = compareFile(file([{ new: { path: 1 } }, expected], [record, { ...record, Operation: undefined }]));
  expect(listDisagreements(comparison)).toEqual([
    'o365/own.o365.management-activity new.path: in no table',
    'o365/own.o365.management-activity MISSING_ACTION 1: not explained',
  ]);
});

test('an explanation of what does not differ is reported', () => {
  const equal = { ...file([null]), name: 'okta/elastic-integrations.okta.system-log' };
  expect(listDisagreements(compareFile(equal))).toEqual([
    'okta/elastic-integrations.okta.system-log user_agent.os.name 7: explained, but equal',
  ]);
});

test('the section counts equal and different values of a file', () => {
  const section = renderComparison([file([expected, { event: { id: 'another' } }])]);
  expect(section).toContain('| o365/own.o365.management-activity | 2 | 7 | 7 | 6 | 1 | 0 | 2 |');
});
