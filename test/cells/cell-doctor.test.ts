import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommand } from '@tenantscope/cli/command';
import { topics } from '@tenantscope/contract';
import { findFreePort } from '@tenantscope/local';
import { ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
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

async function examine(
  changes: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<readonly Finding[]> {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const written = Promise.all([text(out), text(err)]);
  const environment = { ...installation.environment, ...changes };
  const terminal = process.stderr;
  await runCommand(['doctor', '--json', ...options], () => environment, {
    input: Readable.from([]),
    out,
    err,
    terminal,
  });
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

const ownLogin = /^PostgreSQL, TENANTSCOPE_[A-Z]+_CONTROL_DATABASE_URL$/;

test('each login of the control database is checked', async () => {
  const found = (await examine()).filter(({ subject }) => ownLogin.test(subject));
  expect(found.map(({ subject, result }) => [subject.split('_')[1], result]).sort()).toEqual(
    ['ADMIN', 'CONSOLE', 'INGEST', 'JOBS', 'OWNER'].map((login) => [login, 'ok']),
  );
  const silent = `postgres://tenantscope_admin@127.0.0.1:${await findFreePort()}/tenantscope`;
  expect(
    await examine({
      TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL: silent,
      TENANTSCOPE_CONSOLE_CONTROL_DATABASE_URL: installation.control.superuser,
    }),
  ).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        subject: 'PostgreSQL, TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL',
        result: 'failed',
      }),
      {
        subject: 'PostgreSQL, TENANTSCOPE_CONSOLE_CONTROL_DATABASE_URL',
        result: 'failed',
        detail: expect.stringContaining('is a superuser'),
      },
    ]),
  );
});

test('the topics of a further cell are those that are created for it', async () => {
  const prefix = installation.cells.get('eu1')?.topicPrefix ?? '';
  const findings = await examine({ TENANTSCOPE_CELL_EU1_TOPIC_PREFIX: prefix });
  expect(findings.filter(({ subject, result }) => subject.includes(prefix) && result !== 'ok')).toEqual([]);
});

test('the topics of a further cell are checked, if a variable names them', async () => {
  const ofTopics = async (changes: Readonly<Record<string, string>> = {}) =>
    (await examine(changes, ['--backup-days', '4'])).filter(
      ({ subject }) => subject.startsWith('Kafka, ') && subject.endsWith(' of the cell eu1'),
    );
  expect(await ofTopics()).toEqual([
    {
      subject: 'Kafka, topics of the cell eu1',
      result: 'not checked',
      detail: expect.stringContaining('TENANTSCOPE_CELL_EU1_TOPIC_PREFIX'),
    },
  ]);
  const prefix = installation.cells.get('eu1')?.topicPrefix ?? '';
  const named = { TENANTSCOPE_CELL_EU1_TOPIC_PREFIX: prefix };
  expect(await ofTopics(named)).toMatchObject([
    { subject: 'Kafka, durability of the cell eu1', result: 'ok' },
    { subject: 'Kafka, retention of the cell eu1', result: 'ok' },
  ]);
  await alterTopic(`${prefix}.${topics.activity.suffix}`, {
    'retention.ms': String(3 * 86_400_000),
    'unclean.leader.election.enable': 'true',
  });
  await eventually('the settings', 30_000, async () => (await ofTopics(named)).every(({ result }) => result !== 'ok'));
  expect(await ofTopics(named)).toMatchObject([
    { subject: 'Kafka, durability of the cell eu1', result: 'failed', detail: expect.stringContaining(prefix) },
    {
      subject: 'Kafka, retention of the cell eu1',
      result: 'warning',
      detail: expect.stringContaining(`${prefix}.${topics.activity.suffix} retains 3.0 days`),
    },
  ]);
});

async function alterTopic(name: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const admin = new Kafka({ brokers: [inject('services').kafka], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const configEntries = Object.entries(settings).map(([key, value]) => ({ name: key, value }));
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name, configEntries }],
    });
  } finally {
    await admin.disconnect();
  }
}

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
