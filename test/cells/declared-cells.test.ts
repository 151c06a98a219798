import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { tenantscope } from '../installation/processes.ts';
import { createDatabaseOn } from '../services/database.ts';
import { type CellInstallation, createCellInstallation } from './cell-installation.ts';
import { runFailingCommand } from './failing-command.ts';

// A cell that is declared with a topic prefix is created by the migration: an installation is described by its variables alone.

const stack = new AsyncDisposableStack();
let installation: CellInstallation;
let environment: Record<string, string>;
const prefix = `test-${randomBytes(4).toString('hex')}.eu1`;

interface ListedCell {
  readonly name: string;
  readonly topicPrefix: string | null;
}
const listCells = async () =>
  (await tenantscope<{ data: readonly ListedCell[] }>(environment, 'cell', 'list')).data.map(
    ({ name, topicPrefix }) => [name, topicPrefix],
  );
const declare = (topicPrefix: string) => ({ ...environment, TENANTSCOPE_CELL_EU1_TOPIC_PREFIX: topicPrefix });
const migrate = (variables: Record<string, string>) => tenantscope<{ topics: object[] }>(variables, 'migrate');

beforeAll(async () => {
  const { kafka, redis, postgres } = inject('services');
  installation = stack.use(await createCellInstallation({ kafka, redis, postgres: { default: postgres } }));
  const database = stack.use(await createDatabaseOn(postgres));
  const { host, pathname } = new URL(database.owner);
  environment = {
    ...installation.environment,
    TENANTSCOPE_CELLS: 'eu1',
    TENANTSCOPE_CELL_EU1_DATABASE: host + pathname,
  };
}, 120_000);
afterAll(() => stack.disposeAsync());

test('a declared cell without a topic prefix has to exist', async () => {
  const error = await runFailingCommand(environment, 'migrate');
  expect(error).toContain('There is no cell eu1 in the control database.');
  expect(error).toContain('Set TENANTSCOPE_CELL_EU1_TOPIC_PREFIX, with which "tenantscope migrate" creates it');
});

test('the prefix of the cell default is refused before anything is changed', async () => {
  const taken = declare(environment.TENANTSCOPE_TOPIC_PREFIX ?? '');
  expect(await runFailingCommand(taken, 'migrate')).toMatch(
    /TENANTSCOPE_CELL_EU1_TOPIC_PREFIX: test-\w+ is that of the cell default/,
  );
  expect(await listCells()).toEqual([['default', null]]);
});

test('a declared prefix creates the cell with its topics, and a second migration changes nothing', async () => {
  const { topics } = await migrate(declare(prefix));
  expect(topics).toContainEqual(expect.objectContaining({ name: `${prefix}.raw.activity.v1`, outcome: 'created' }));
  const cells = [
    ['default', null],
    ['eu1', prefix],
  ];
  expect(await listCells()).toEqual(cells);
  const again = await migrate(declare(prefix));
  expect(again).toMatchObject({ database: { applied: [], omittedCells: [] } });
  expect(again.topics).not.toContainEqual(expect.objectContaining({ outcome: 'created' }));
  expect(await listCells()).toEqual(cells);
});

test('the creation of the cell is an audit event and an entry of the ledger', async () => {
  const client = new pg.Client(installation.control.superuser);
  await client.connect();
  try {
    const { rows: entries } = await client.query(
      `select state ->> 'topic_prefix' as prefix from control.ledger_entry where subject = 'cell' and state ->> 'id' = 'eu1'`,
    );
    expect(entries).toEqual([{ prefix }]);
    const { rows: events } = await client.query(
      `select count(*)::int as events from control.admin_event where subject_id = 'eu1'`,
    );
    expect(events).toEqual([{ events: 1 }]);
  } finally {
    await client.end();
  }
});

test('the migration waits for the database of a cell, as for all stores', async () => {
  const { hostname, port, pathname } = new URL(`postgres://${environment.TENANTSCOPE_CELL_EU1_DATABASE}`);
  let attempts = 0;
  // The first connection is refused.
  const proxy = createServer((socket) => {
    attempts += 1;
    if (attempts === 1) return socket.resetAndDestroy();
    const upstream = connect({ host: hostname, port: Number(port) });
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const)
      from.on('error', () => to.destroy()).pipe(to);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  try {
    const address = `127.0.0.1:${(proxy.address() as AddressInfo).port}${pathname}`;
    const variables = { ...declare(prefix), TENANTSCOPE_CELL_EU1_DATABASE: address };
    await tenantscope(variables, 'migrate', '--wait', '60');
    expect(attempts).toBeGreaterThan(1);
  } finally {
    proxy.close();
  }
});

test('another prefix of an existing cell is refused, and so is that of another cell', async () => {
  expect(await runFailingCommand(declare(`${prefix}.other`), 'migrate')).toContain(
    `The cell eu1 has the topic prefix ${prefix}, and TENANTSCOPE_CELL_EU1_TOPIC_PREFIX is ${prefix}.other`,
  );
  const second = {
    ...declare(prefix),
    TENANTSCOPE_CELLS: 'eu1,eu2',
    TENANTSCOPE_CELL_EU2_DATABASE: `${environment.TENANTSCOPE_CELL_EU1_DATABASE}`,
    TENANTSCOPE_CELL_EU2_TOPIC_PREFIX: prefix,
  };
  expect(await runFailingCommand(second, 'migrate')).toMatch(/have one (database|topic prefix)/);
});

test('a control database that was restored to a time before the cell is migrated, and its restore brings the cell back', async () => {
  const before = await listCells();
  const client = new pg.Client(installation.control.superuser);
  await client.connect();
  try {
    {
      await using _ingest = await installation.start('ingest');
      await eventually('the ledger is published', 60_000, async () => {
        const { rows } = await client.query<{ is: boolean }>(
          `select exists (select from control.ingest_epoch)
             and not exists (select from control.ledger_entry where topic_offset is null) as is`,
        );
        return rows[0]?.is === true;
      });
    }
    await client.query(
      `begin; set local session_replication_role = replica;
       delete from control.ledger_entry where number >= (select max(number) from control.ledger_entry where subject = 'cell');
       update control.ledger_position set compared_to = (select max(topic_offset) + 1 from control.ledger_entry);
       delete from control.cell where id = 'eu1';
       select control.close_epoch(); commit`,
    );
  } finally {
    await client.end();
  }
  expect(await listCells()).not.toEqual(before);
  expect(await runFailingCommand(environment, 'restore', 'finish', '--cell', 'eu1')).toContain(
    'the control database has no cell eu1: if it was restored too, run "tenantscope restore finish" for the cell default first',
  );
  expect(await migrate(declare(prefix))).toMatchObject({ database: { applied: [] } });
  expect(await tenantscope(environment, 'restore', 'finish')).toMatchObject({ applied: { 'control.cell': 1 } });
  expect(await listCells()).toEqual(before);
  expect(await migrate(declare(prefix))).toMatchObject({ database: { omittedCells: [] } });
}, 180_000);
