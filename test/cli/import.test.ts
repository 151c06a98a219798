import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { type CommandLine, createCommandLine, kafka, readTopic, start } from './command-line.ts';

const format = 'o365.management-activity';
const largest = 1_048_576;

async function withTenant(line: CommandLine) {
  const azureTenantId = randomUUID();
  const { id } = await line.json('tenant', 'create', '--name', 'Larkspur', '--azure-tenant-id', azureTenantId);
  return { tenant: String(id), azureTenantId };
}

async function fileOf(line: CommandLine, name: string, content: string | Buffer): Promise<string> {
  const path = join(line.directory, name);
  await writeFile(path, content);
  return path;
}

const values = async (line: CommandLine) => (await readTopic(line.topic)).map(({ value }) => value?.toString('latin1'));
const latin1 = (bytes: Buffer | string) => Buffer.from(bytes).toString('latin1');

test('every line of a file is published exactly once and unchanged as a CloudEvent of its tenant', async () => {
  await using line = await createCommandLine({ topics: true });
  const { tenant, azureTenantId } = await withTenant(line);
  const records = Array.from(
    { length: 3_000 },
    (_, number) => `{"Id":"${number}", "pad" :"${'é'.repeat(number % 900)}"}`,
  );
  const file = await fileOf(line, 'records.ndjson', `${records.join('\n')}\n`);

  const result = await line.json('import', '--no-wait', '--tenant', azureTenantId, '--format', format, file);
  expect(result).toMatchObject({
    tenantId: tenant,
    format,
    topic: line.topic,
    published: 3_000,
    blankLines: 0,
    isComplete: true,
    isSettled: false,
  });

  const taken = await readTopic(line.topic);
  expect(taken.map(({ value }) => value?.toString())).toEqual(records);
  expect(new Set(taken.map(({ key }) => key))).toEqual(new Set([tenant]));
  expect(new Set(taken.map(({ headers }) => headers.ce_id)).size).toBe(3_000);
  expect(taken[0]?.headers).toEqual({
    ce_specversion: '1.0',
    ce_id: `${result.importId}/1`,
    'tenantscope-import': `${result.importId}/1`,
    ce_source: '/collectors/import',
    ce_type: 'tenantscope.raw.o365-management-activity.v1',
    ce_tenantid: tenant,
    ce_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    'content-type': 'application/json',
  });
});

test('the file argument "-" reads standard input among the other files in their order', async () => {
  await using line = await createCommandLine({ topics: true });
  const { tenant } = await withTenant(line);
  const first = await fileOf(line, 'first.ndjson', '{"Id":"1"}\n');
  const args = ['import', '--no-wait', '--tenant', tenant, '--format', 'okta.system-log', '--json', first, '-'];
  const { status, stdout, stderr } = await line.with({ input: '{"uuid":"2"}\n\n{"uuid":"3"}' }, ...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ published: 3, blankLines: 1, topic: line.topic });
  expect(await values(line)).toEqual(['{"Id":"1"}', '{"uuid":"2"}', '{"uuid":"3"}']);
  const headers = (await readTopic(line.topic)).map((message) => message.headers.ce_type);
  expect(new Set(headers)).toEqual(new Set(['tenantscope.raw.okta-system-log.v1']));
});

test('hostile lines are published byte for byte', async () => {
  await using line = await createCommandLine({ topics: true });
  const { tenant } = await withTenant(line);
  const exact = Buffer.alloc(largest, 'a');
  const lines = [
    Buffer.from('\ufeff{"Id":"after a mark"}\r'),
    Buffer.from('not json at all'),
    Buffer.from('{"Id":"unpaired \\ud800","Id":"twice"}'),
    Buffer.from([0xff, 0xfe, 0x00, 0x80]),
    Buffer.from('   \t \r'),
    Buffer.from('{"Id":"\u0000\u2028\u{e0041}"}\r\r'),
    exact,
    Buffer.from('[]'),
  ];
  const file = await fileOf(
    line,
    'hostile.ndjson',
    Buffer.concat(lines.flatMap((bytes) => [bytes, Buffer.from('\n')])),
  );
  const result = await line.json('import', '--no-wait', '--tenant', tenant, '--format', format, file);
  expect(result).toMatchObject({ published: 7, blankLines: 1 });
  expect(await values(line)).toEqual([
    '{"Id":"after a mark"}',
    'not json at all',
    '{"Id":"unpaired \\ud800","Id":"twice"}',
    latin1(Buffer.from([0xff, 0xfe, 0x00, 0x80])),
    latin1('{"Id":"\u0000\u2028\u{e0041}"}\r'),
    exact.toString('latin1'),
    '[]',
  ]);
});

test('lines over the size limit are reported, all others are published, and the command fails', async () => {
  await using line = await createCommandLine({ topics: true });
  const { tenant } = await withTenant(line);
  const tooLong = 'x'.repeat(largest + 1);
  const file = await fileOf(
    line,
    'long.ndjson',
    `{"Id":"1"}\n${tooLong}\n{"Id":"3"}\n${'y'.repeat(5 * largest)}\r\n{"Id":"5"}`,
  );
  const { status, stdout, stderr } = await line.run(
    'import',
    '--no-wait',
    '--tenant',
    tenant,
    '--format',
    format,
    '--json',
    file,
  );
  expect(status).toBe(1);
  expect(stderr).toBe(
    `tenantscope: ${file}: not published, longer than 1,048,576 bytes: line 2 (1,048,577 bytes), 4 (5,242,881 bytes)\n`,
  );
  expect(JSON.parse(stdout)).toMatchObject({
    published: 3,
    files: [{ lines: 5, published: 3, refusedLines: 2, refused: [{ line: 2 }, { line: 4 }] }],
  });
  expect(await values(line)).toEqual(['{"Id":"1"}', '{"Id":"3"}', '{"Id":"5"}']);
});

test('nothing is published when a name, the format, the tenant or a file is invalid', async () => {
  await using line = await createCommandLine({ topics: true });
  const { tenant } = await withTenant(line);
  const good = await fileOf(line, 'good.ndjson', '{"Id":"1"}\n');
  const wide = await fileOf(line, 'wide.ndjson', Buffer.from('\ufeff{"Id":"1"}\n', 'utf16le'));
  const to = (of: string, kind = format) => ['import', '--no-wait', '--tenant', of, '--format', kind];
  const cases: [status: number, message: RegExp, ...words: string[]][] = [
    [2, /--format system-log is unknown; did you mean okta.system-log/, ...to(tenant, 'system-log'), good],
    [2, /--tenant must be a GUID/, ...to('larkspur'), good],
    [2, /missing required argument/, ...to(tenant)],
    [2, /read only once/, ...to(tenant), '-', good, '-'],
    [1, /no tenant/, ...to(randomUUID()), good],
    [1, /no such file/, ...to(tenant), good, join(line.directory, 'missing.ndjson')],
    [1, /it is a directory/, ...to(tenant), good, line.directory],
    [1, /UTF-16/, ...to(tenant), wide],
  ];
  for (const [status, message, ...args] of cases) {
    const ran = await line.run(...args);
    expect({ args, ...ran }).toMatchObject({ status, stdout: '' });
    expect(ran.stderr).toMatch(message);
  }
  expect(await readTopic(line.topic)).toEqual([]);
});

test('a missing topic is reported with the command that creates it', async () => {
  await using line = await createCommandLine();
  const { tenant } = await withTenant(line);
  const { status, stderr } = await line.with({ input: '{}' }, 'import', '--tenant', tenant, '--format', format, '-');
  expect(status).toBe(1);
  expect(stderr).toContain(`the topic ${line.topic} does not exist; run "tenantscope migrate"`);
});

test('an interrupt ends a waiting import and reports the number of published records', async () => {
  await using line = await createCommandLine({ topics: true });
  const { tenant } = await withTenant(line);
  const { child, ran } = start(['import', '--no-wait', '--tenant', tenant, '--format', format, '-'], line);
  const record = `{"pad":"${'x'.repeat(99_990)}"}\n`;
  child.stdin.write(record.repeat(20));
  const admin = kafka().admin();
  await admin.connect();
  await eventually('the first sends are published', 10_000, async () => {
    const offsets = await admin.fetchTopicOffsets(line.topic);
    return offsets.reduce((sum, { high }) => sum + Number(high), 0) >= 14;
  });
  await admin.disconnect();
  child.kill('SIGINT');
  const { status, stderr } = await ran;
  expect(status).toBe(1);
  const [, reported] = /^tenantscope: interrupted; (\d+) records were published; /.exec(stderr) ?? [];
  expect(Number(reported)).toBe((await readTopic(line.topic)).length);
});
