import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout, startTemporaryServices } from '@tenantscope/local';
import { expect, test } from 'vitest';
import { run } from './command-line.ts';

type Settings = Readonly<Record<string, string>>;

/** Of the server in a file that is shipped: of Docker Compose `- name=value`, of the others `name: value`. */
async function readShipped(file: string): Promise<Settings> {
  const text = await readFile(join(checkout, file), 'utf8');
  const lines = text.matchAll(/^ +(?:- )?(autovacuum\w*|checkpoint_\w+|\w*wal_\w+)(?:=|: )(\S+)$/gm);
  return Object.fromEntries(Array.from(lines, ([, name = '', value = '']) => [name, value]));
}

/** What doctor finds in the settings of a server that was started with these. */
async function examine(postgresSettings: Settings): Promise<string[]> {
  await using server = await startTemporaryServices({ only: ['postgres'], postgresSettings });
  const environment = { TENANTSCOPE_INGEST_DATABASE_URL: server.postgres };
  const { stdout } = await run(['doctor', '--json'], { environment });
  const { findings } = JSON.parse(stdout) as { findings: { subject: string; result: string; detail: string }[] };
  return findings.flatMap(({ subject, result, detail }) =>
    subject.endsWith(', settings') ? [`${result}: ${detail}`] : [],
  );
}

const shippedFiles = [
  'infra/compose/compose.yml',
  'infra/chart/examples/cloudnative-pg.yaml',
  'infra/patroni/patroni.yml',
];

test.each(shippedFiles)('a server with the settings of %s has no setting that doctor warns of', async (file) => {
  const shipped = await readShipped(file);
  expect(Object.keys(shipped)).toEqual(expect.arrayContaining(['max_wal_size', 'wal_compression']));
  expect(await examine(shipped)).toEqual([expect.stringMatching(/^ok: /)]);
});

test('doctor warns of settings that cost WAL or leave tables without vacuum', async () => {
  expect(await examine({ autovacuum: 'off', max_wal_size: '1GB', wal_compression: 'off' })).toEqual([
    expect.stringMatching(/^warning: autovacuum is off/),
    expect.stringMatching(/^warning: max_wal_size is 1024 MB/),
    expect.stringMatching(/^warning: wal_compression is off/),
  ]);
});
