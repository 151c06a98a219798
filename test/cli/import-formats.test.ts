import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { activityRecord } from '../installation/activity-records.ts';
import { startIngestInstallation } from '../installation/ingest-installation.ts';
import { run } from './command-line.ts';

const { installation, inspector } = await startIngestInstallation();
const { environment } = installation;
const directory = await mkdtemp(join(tmpdir(), 'tenantscope-import-'));
afterAll(() => rm(directory, { recursive: true, force: true }));

async function write(content: string | Buffer): Promise<string> {
  const file = join(directory, randomUUID());
  await writeFile(file, content);
  return file;
}

async function importFile(tenant: string, content: string | Buffer, ...args: string[]) {
  const ran = await run(['import', '--tenant', tenant, '--json', ...args, await write(content)], { environment });
  if (ran.stdout === '') throw new Error(ran.stderr);
  return { ...ran, result: JSON.parse(ran.stdout) as Record<string, unknown> };
}

const records = (azureTenantId: string, from: number, count: number) =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify(activityRecord(from + index, { OrganizationId: azureTenantId })),
  );

test('arrays, pages, CSV exports and compressed files become the same rows, and the format is recognized', async () => {
  const { id, azureTenantId } = await installation.createTenant();
  const lines = records(azureTenantId, 0, 900);
  const csv = ['RecordId,AuditData', ...lines.map((text, index) => `${index},"${text.replaceAll('"', '""')}"`)].join(
    '\r\n',
  );
  const first = await importFile(id, `[\n${lines.join(',\n')}\n]`);
  expect(first.stderr).toBe('tenantscope: this looks like o365.management-activity\n');
  expect(first.result).toMatchObject({ format: 'o365.management-activity', messages: 900, rows: 900, duplicates: 0 });
  for (const content of [csv, gzipSync(lines.join('\n')), zstdCompressSync(`[${lines.join(',')}]`), gzipSync(csv)])
    expect((await importFile(id, content)).result).toMatchObject({ messages: 900, rows: 0, duplicates: 900 });
  // A page of less than a mebibyte is one message; ingestion counts its records.
  const page = `{"value":[${lines.join(',')}]}`;
  expect((await importFile(id, page)).result).toMatchObject({ messages: 1, records: 900, rows: 0, duplicates: 900 });
  expect(await inspector.rowCount(id)).toBe(900);
}, 60_000);

test('alerts, entities and records of the product are imported to their topics', async () => {
  const { id } = await installation.createTenant();
  const alert = {
    id: 'a-1',
    createdDateTime: '2026-11-20T08:15:30Z',
    lastUpdateDateTime: '2026-11-20T08:16:00Z',
    serviceSource: 'microsoftDefenderForEndpoint',
    title: 'Malware',
    severity: 'high',
    status: 'new',
  };
  const user = { id: randomUUID(), userPrincipalName: 'ada@contoso.example', displayName: 'Ada' };
  const notification = (number: number) => ({ id: `n-${number}`, tenantId: id, version: 1 });
  const first = await importFile(id, JSON.stringify(alert));
  expect(first.result).toMatchObject({ format: 'graph.security.alert', rows: 1, deadLetters: {} });
  expect((await importFile(id, JSON.stringify(user))).result).toMatchObject({ format: 'graph.user', rows: 1 });
  expect((await importFile(id, JSON.stringify(alert))).result).toMatchObject({ rows: 0, duplicates: 1 });
  const wrong = [notification(1), notification(2), 'x'].map((record) => JSON.stringify(record)).join('\n');
  const { result } = await importFile(id, wrong, '--format', 'notification');
  expect(result).toMatchObject({ messages: 3, rows: 0, deadLetters: { SCHEMA_VIOLATION: 3 } });
}, 60_000);

test('a dry run shows three rows and the members that no row shows, and publishes nothing', async () => {
  const { id, azureTenantId } = await installation.createTenant();
  const lines = records(azureTenantId, 0, 5);
  const odd = JSON.stringify({
    ...JSON.parse(lines[1] as string),
    CreationTime: 'never',
  });
  const { result, stdout } = await importFile(id, [lines[0], odd, ...lines.slice(2)].join('\n'), '--dry-run');
  expect(result).toMatchObject({
    dryRun: true,
    looksLike: 'o365.management-activity',
    records: [
      { rows: [{ action: 'FileAccessed', actorName: 'person0@example.com' }], rejections: [] },
      { rows: [], rejections: [{ reason: 'INVALID_TIMESTAMP' }] },
      { rows: [{ action: 'FileModified' }] },
    ],
  });
  expect(stdout).not.toContain('person3@');
  const google = {
    kind: 'admin#reports#activity',
    id: { time: '2026-11-20T08:15:30Z', uniqueQualifier: '-7312729053723258069', applicationName: 'drive' },
    actor: { email: 'ada@contoso.example' },
    events: [{ type: 'access', name: 'view', parameters: [{ name: 'doc_id', value: 'doc-1' }] }],
  };
  // Members next to the events of Google are in no row; those of other providers are in its details.
  const extended = JSON.stringify({ ...google, requestId: 'left-over-value', nested: [{ depth: 73_219 }] });
  const preview = await importFile(id, `${extended}\n${JSON.stringify(google)}`, '--dry-run');
  expect(preview.result.records).toMatchObject([{ leftOver: ['requestId', 'nested[].depth'] }, { leftOver: [] }]);
  const { stdout: text } = await run(['import', '--tenant', id, '--dry-run', await write(extended)], { environment });
  expect(text).toMatch(/^left over: requestId, nested\[\]\.depth$/m);
  expect((await installation.admin.imports.list({ limit: 1, tenantId: id })).found).toEqual([]);
});

test.each([
  ['is empty', '', 'has no records'],
  ['has blank lines only', '\n\n', 'has no records'],
  ['has an empty array', '[]', 'has no records'],
  ['is UTF-16', Buffer.from('\ufeff{"Operation":"a"}', 'utf16le'), 'is UTF-16; convert it to UTF-8'],
])('a file that %s is refused without --format, with this reason', async (_, content, reason) => {
  const { id } = await installation.createTenant();
  const file = await write(content);
  const refused = await run(['import', '--tenant', id, file], { environment });
  expect(refused).toMatchObject({ status: 1, stdout: '', stderr: `tenantscope: ${file} ${reason}\n` });
});

test('an empty file before others does not prevent their format from being recognized', async () => {
  const { id, azureTenantId } = await installation.createTenant();
  const files = [await write(''), await write('\n'), await write(records(azureTenantId, 0, 3).join('\n'))];
  const imported = await run(['import', '--tenant', id, '--json', ...files], { environment });
  expect(imported.stderr).toBe('tenantscope: this looks like o365.management-activity\n');
  expect(JSON.parse(imported.stdout)).toMatchObject({ messages: 3, rows: 3 });
  const empty = await run(['import', '--tenant', id, ...files.slice(0, 2)], { environment });
  expect(empty).toMatchObject({ status: 1, stderr: 'tenantscope: no file has a record\n' });
});

test('a file that looks like another format is imported by its --format with a warning', async () => {
  const { id, azureTenantId } = await installation.createTenant();
  const { stderr, result } = await importFile(
    id,
    records(azureTenantId, 0, 3).join('\n'),
    '--format',
    'okta.system-log',
  );
  expect(stderr).toMatch(/^tenantscope: this looks like o365.management-activity, not like okta.system-log\n/);
  expect(result).toMatchObject({ messages: 3, rows: 0, deadLetters: { MISSING_ACTION: 3 } });
  const unrecognized = await run(['import', '--tenant', id, await write('no record')], { environment });
  expect(unrecognized).toMatchObject({ status: 2, stdout: '' });
  expect(unrecognized.stderr).toMatch(/has records of no format that is recognized; name it with --format/);
});
