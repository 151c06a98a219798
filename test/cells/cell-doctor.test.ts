import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommand } from '@tenantscope/cli/command';
import { findFreePort } from '@tenantscope/local';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type CellInstallation, createCellInstallation } from './cell-installation.ts';

interface Finding {
  readonly subject: string;
  readonly result: string;
  readonly detail: string;
}

let installation: CellInstallation;
beforeAll(async () => {
  const { kafka, redis, postgres } = inject('services');
  installation = await createCellInstallation({ kafka, redis, postgres: { default: postgres, eu1: postgres } });
}, 120_000);
afterAll(() => installation?.[Symbol.asyncDispose]());

async function examine(changes: Readonly<Record<string, string>> = {}): Promise<readonly Finding[]> {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const written = Promise.all([text(out), text(err)]);
  const environment = { ...installation.environment, ...changes };
  const terminal = process.stderr;
  await runCommand(['doctor', '--json'], () => environment, { input: Readable.from([]), out, err, terminal });
  out.end();
  err.end();
  const [stdout] = await written;
  return (JSON.parse(stdout) as { findings: Finding[] }).findings;
}

const ofCell = (findings: readonly Finding[]) => findings.filter(({ subject }) => subject.startsWith('Cell eu1'));

async function inCell(statement: string): Promise<void> {
  const client = new pg.Client(installation.cells.get('eu1')?.database.superuser);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

test('each login and the migrations of a further cell are checked', async () => {
  const findings = await examine();
  expect(findings.filter(({ result }) => result === 'failed')).toEqual([]);
  expect(ofCell(findings)).toEqual([
    { subject: 'Cell eu1, TENANTSCOPE_CELL_EU1_DATABASE', result: 'ok', detail: expect.stringContaining('migrated') },
  ]);
  for (const login of ['API', 'INGEST', 'ADMIN', 'CONSOLE', 'JOBS', 'OWNER'])
    expect(findings).toContainEqual(
      expect.objectContaining({
        subject: `PostgreSQL, TENANTSCOPE_${login}_DATABASE_URL of the cell eu1`,
        result: 'ok',
      }),
    );
  expect(findings.map(({ subject }) => subject)).toContain(
    'PostgreSQL, TENANTSCOPE_INGEST_DATABASE_URL of the cell eu1, settings',
  );
});

test('an address that does not respond, and that of another cell, fail', async () => {
  const port = await findFreePort();
  const silent = await examine({ TENANTSCOPE_CELL_EU1_DATABASE: `127.0.0.1:${port}/tenantscope` });
  expect(ofCell(silent)).toMatchObject([{ result: 'failed' }]);
  expect(
    silent.filter(({ subject, result }) => subject.includes('of the cell eu1') && result === 'failed').length,
  ).toBe(6);
  const { host, pathname } = new URL(installation.environment.TENANTSCOPE_OWNER_DATABASE_URL as string);
  expect(ofCell(await examine({ TENANTSCOPE_CELL_EU1_DATABASE: host + pathname }))).toMatchObject([
    { result: 'failed', detail: expect.stringContaining('that of the cell default') },
  ]);
});

test('partitions of another width are a warning, and a migration that is not applied fails', async () => {
  await inCell(`update models.retention set partition_width = '3 days'`);
  expect(ofCell(await examine())).toMatchObject([
    { result: 'warning', detail: expect.stringContaining('partition_width is 3 days') },
  ]);
  await inCell(`delete from models.migration where name = (select max(name) from models.migration)`);
  expect(ofCell(await examine())).toMatchObject([
    { result: 'failed', detail: expect.stringContaining('run "tenantscope migrate"') },
  ]);
});
