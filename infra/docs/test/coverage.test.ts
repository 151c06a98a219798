import { listValues, measureCoverage, renderCoverage, renderUnserved } from '@tenantscope/docs';
import { expect, test } from 'vitest';

const record = {
  CreationTime: '2026-11-20T08:15:30',
  Id: '5f0c1d2e-1111-4222-8333-944455556666',
  Operation: 'FileDownloaded',
  RecordType: 6,
  Workload: 'SharePoint',
  UserId: 'Ada@contoso.example',
  Empty: ' ',
};
const measure = (...records: readonly unknown[]) =>
  measureCoverage([
    { path: 'own', format: 'o365.management-activity', lines: records.map((each) => JSON.stringify(each)) },
  ]);

test('values of lists, of JSON text and of XML text have paths of their own', () => {
  const value = {
    a: [1, { b: true }],
    c: '{"d":["x"]}',
    e: '<f>y<g>z</g></f>',
    h: null,
    i: '',
    Parameters: [{ Name: 'n', Value: 2 }],
  };
  expect(listValues(value)).toEqual([
    { path: 'a[]', text: '1' },
    { path: 'a[].b', text: 'true' },
    { path: 'c{}.d[]', text: 'x' },
    { path: 'e<>', text: 'y' },
    { path: 'e<>', text: 'z' },
    { path: 'Parameters[].Value', text: '2' },
  ]);
  expect(listValues(value, true).at(-1)).toEqual({ path: 'Parameters[n].Value', text: '2' });
});

test('a member counts as served in the records whose rows show its value', () => {
  const [measured] = measure(record, { ...record, ClientIP: '203.0.113.7' }, { ...record, Body: 'content-0815' });
  expect(measured?.records).toBe(3);
  const counts = Object.fromEntries(
    measured?.members.map(({ path, present, served }) => [path, [present, served]]) ?? [],
  );
  expect(counts).toMatchObject({
    CreationTime: [3, 3],
    Operation: [3, 3],
    UserId: [3, 3],
    ClientIP: [1, 1],
    Body: [1, 0],
  });
  expect(counts).not.toHaveProperty('Empty');
});

test('repeated records count once, and rejected records not at all', () => {
  const [measured] = measure(record, record, { ...record, Operation: null });
  expect(measured?.records).toBe(1);
});

test('the reports name formats, members, counts and an example', () => {
  const measured = measure(record, { ...record, Body: 'content-0815' });
  expect(renderCoverage(measured, '## Compared')).toContain('| Body | 1 | 0 | 0.0 |  |');
  expect(renderUnserved(measured)).toContain('  0/1  Body  "content-0815"');
});
