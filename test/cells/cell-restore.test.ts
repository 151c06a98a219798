import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import type { ProductProcess } from '../installation/processes.ts';
import { backUpServer, type ServerBackup } from '../services/server-backup.ts';
import type { CellInstallation } from './cell-installation.ts';
import { runFailingCommand } from './failing-command.ts';
import { type Cell, createSeparateCells, type SeparateCells } from './separate-cells.ts';

// Two cells, each on a server of its own; that of eu1 is restored to an earlier time.

interface LogsPage {
  readonly data: readonly { readonly externalEventId: string; readonly discoveredAt: string }[];
  readonly pagination: { readonly completeThrough: string; readonly resumeCursor: string };
}

const stack = new AsyncDisposableStack();
let cells: SeparateCells;
let installation: CellInstallation;
let api: ProductProcess;
const startedAt = new Date(Date.now() - 60_000).toISOString();
const sent = { default: new Set<string>(), eu1: new Set<string>() };

beforeAll(async () => {
  cells = stack.use(await createSeparateCells());
  installation = cells.installation;
  for (const cell of ['default', 'eu1']) stack.use(await installation.start('jobs', cell));
  api = stack.use(await installation.start('api'));
}, 180_000);
afterAll(() => stack.disposeAsync(), 60_000);

async function publish(cell: Cell, count: number): Promise<void> {
  for (const id of await cells.publish(cell, count)) sent[cell].add(id);
}

const read = (cell: Cell, parameters: Record<string, string> = {}) =>
  installation
    .client(cells.secret)
    .get(
      '/logs',
      { limit: '1000', sort: 'discoveredAtAsc', discoveredFrom: startedAt, ...parameters },
      { 'X-Tenant-Id': cells.tenantIds[cell] },
    );

async function readPage(cell: Cell, parameters: Record<string, string> = {}): Promise<LogsPage> {
  const { status, body } = await read(cell, parameters);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const awaitServed = (cell: Cell) =>
  eventually(`all records of ${cell} are served`, 60_000, async () => {
    const ids = (await readPage(cell)).data.map(({ externalEventId }) => externalEventId);
    return ids.length === sent[cell].size && ids.every((id) => sent[cell].has(id));
  });

async function query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = new pg.Client(installation.cells.get('eu1')?.database.superuser);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const awaitPublished = () =>
  eventually('the ledger of the cell is published', 30_000, async () => {
    return (await query('select from models.ledger_entry where topic_offset is null')).length === 0;
  });

const awaitPromotion = () =>
  eventually('the server is promoted', 30_000, async () => {
    const [row] = await query<{ is: boolean }>('select pg_is_in_recovery() as is');
    return row?.is === false;
  });

/** What the ledger gives back. */
const readLedgerRows = async () => ({
  snapshots: await query('select * from models.compliance_snapshot order by tenant_id, taken_at'),
  statements: await query(
    `select tenant_id, id, version, digest from models.compliance_record where kind = 'attestation' order by id`,
  ),
  events: await query(`select * from models.admin_event where action <> 'restored' order by chain, number`),
});

test('a restored cell serves nothing until its restore is finished, and then nothing is missing', async () => {
  const { cli, environment } = installation;
  const attest = `attest --tenant ${cells.tenantIds.eu1} --requirement ai.attest.literacy --verdict compliant`;
  await publish('default', 50);
  await publish('eu1', 200);
  await cli(attest);
  for (const cell of ['default', 'eu1'] as const) await awaitServed(cell);
  await awaitPublished();
  const early = await readPage('eu1');
  const backup = await backUpServer(cells.server.postgresService, 'first');

  // Lost by the restore.
  await publish('eu1', 100);
  await awaitServed('eu1');
  await cli(attest);
  await cli(`snapshot take --tenant ${cells.tenantIds.eu1}`);
  await awaitPublished();
  const ledgerRows = await readLedgerRows();
  const late = await readPage('eu1');
  const others = await readPage('default');

  await backup.restore();
  await awaitPromotion();
  await eventually('tenants of the cell get 503', 30_000, async () => (await read('eu1')).status === 503);
  for (const command of ['snapshot take', 'attest --requirement ai.attest.literacy --verdict compliant'])
    expect(await runFailingCommand(environment, ...`${command} --tenant ${cells.tenantIds.eu1}`.split(' '))).toMatch(
      /^tenantscope: the cell eu1 is unavailable: the server was promoted or restored: .* "tenantscope restore finish"\n$/,
    );
  await publish('default', 10);
  await awaitServed('default');
  await eventually('the API names the cell', 15_000, async () => {
    const text = await (await fetch(`http://127.0.0.1:${api.healthPort}/readyz`)).text();
    return JSON.parse(text).unavailableCells?.eu1 !== undefined;
  });
  expect((await read('eu1')).status).toBe(503);

  const report = await cli<{
    finished: boolean;
    applied: object;
    changed: string[];
    feeds: { feed: string; from: string; readAgain: number; lost: number }[];
  }>('restore finish --cell eu1');
  console.log('restore of a cell:', JSON.stringify(report));
  expect(report).toMatchObject({ finished: true, changed: expect.arrayContaining(['logs']) });
  expect(report.applied).toMatchObject({ 'models.compliance_snapshot': 1 });
  expect(await cli('restore finish --cell eu1')).toMatchObject({ finished: false });
  await eventually('the cell is served', 60_000, async () => (await read('eu1')).status === 200);
  await awaitServed('eu1');
  expect(await readLedgerRows()).toEqual(ledgerRows);

  // A cursor from before the loss continues: it returns what was lost again, and misses nothing.
  const logs = report.feeds.find(({ feed }) => feed === 'logs');
  expect(logs).toMatchObject({ lost: 0 });
  const again = await readPage('eu1', { cursor: early.pagination.resumeCursor });
  expect(new Set(again.data.map(({ externalEventId }) => externalEventId))).toEqual(new Set([...sent.eu1].slice(200)));
  const after = await readPage('eu1', { cursor: late.pagination.resumeCursor });
  expect(after.data.length).toBe(100);
  expect(after.data.every(({ discoveredAt }) => discoveredAt > late.pagination.completeThrough)).toBe(true);
  // Windows that end before the reported time are what they were.
  const window = { discoveredTo: logs?.from ?? '' };
  expect((await readPage('eu1', window)).data).toEqual(
    late.data.filter(({ discoveredAt }) => discoveredAt < window.discoveredTo),
  );
  const unchanged = await readPage('default', { discoveredTo: others.pagination.completeThrough });
  expect(unchanged.data).toEqual(others.data);

  expect(await cli('audit list --org read-models --cell eu1')).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ action: 'restored' })]),
  });
  await publish('eu1', 10);
  await awaitServed('eu1');
}, 300_000);

test('the restore of a cell to a time before a tenant was moved there is refused, and a newer backup is accepted', async () => {
  const { cli, environment } = installation;
  const early = await backUpServer(cells.server.postgresService, 'early');
  await cli(`tenant move --tenant ${cells.tenantIds.default} --cell eu1 --yes`);
  const switchedAt = new Date().toISOString();
  await eventually('the cell has settled later', 30_000, async () => {
    return (await readPage('default')).pagination.completeThrough > switchedAt;
  });
  const late = await backUpServer(cells.server.postgresService, 'late');
  const restore = async (backup: ServerBackup) => {
    await backup.restore();
    await awaitPromotion();
  };
  await restore(early);
  const refused = await runFailingCommand(environment, 'restore', 'finish', '--cell', 'eu1');
  expect(refused).toContain(`${cells.tenantIds.default} was moved to this cell`);
  expect((await read('default')).status).toBe(503);
  await restore(late);
  // Nothing is lost: ingest may have opened the epoch before.
  await cli('restore finish --cell eu1');
  await eventually('the cell is served', 60_000, async () => (await read('default')).status === 200);
  await awaitServed('default');
  await awaitServed('eu1');
}, 300_000);
