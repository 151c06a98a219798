import { topics } from '@tenantscope/contract';
import { findFreePort } from '@tenantscope/local';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';
import { type ProductProcess, startProcess } from '../installation/processes.ts';
import { resumeReplay, startStandbyServer } from '../services/standby-server.ts';
import type { CellInstallation } from './cell-installation.ts';
import { type Cell, createSeparateCells, type SeparateCells } from './separate-cells.ts';

// Two cells. The server of eu1 has a streaming standby, of which the API reads, or which bounds its watermark.

const stack = new AsyncDisposableStack();
let cells: SeparateCells;
let installation: CellInstallation;
let standby: pg.Client;
/** Address of the standby, for the variables of the cell. */
let address: string;
const sent: Record<Cell, number> = { default: 0, eu1: 0 };

beforeAll(async () => {
  cells = stack.use(await createSeparateCells());
  installation = cells.installation;
  const server = stack.use(await startStandbyServer(cells.server.postgresService));
  const name = installation.cells.get('eu1')?.database.name as string;
  const { port } = new URL(server.postgres);
  address = `127.0.0.1:${port}/${name}`;
  standby = new pg.Client(
    Object.assign(new URL(installation.cells.get('eu1')?.database.superuser as string), { port }).href,
  );
  await standby.connect();
  stack.defer(() => standby.end());
}, 180_000);
afterAll(() => stack.disposeAsync(), 60_000);

type Api = ProductProcess & {
  readonly baseUrl: string;
  read(cell: Cell): Promise<{ ids: string[]; completeThrough: string }>;
};

/** An API with these variables of the cell eu1. */
async function startApi(variables: Readonly<Record<string, string>>): Promise<Api> {
  const port = String(await findFreePort());
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  const api = await startProcess('api', { ...installation.environment, ...variables, TENANTSCOPE_PORT: port });
  const read: Api['read'] = async (cell) => {
    const { status, body } = await createApiClient(baseUrl, cells.secret).get(
      '/logs',
      { limit: '1000', sort: 'discoveredAtAsc' },
      { 'X-Tenant-Id': cells.tenantIds[cell] },
    );
    expect(status, JSON.stringify(body)).toBe(200);
    const { data, pagination } = body as {
      data: { externalEventId: string }[];
      pagination: { completeThrough: string };
    };
    return { ids: data.map(({ externalEventId }) => externalEventId), completeThrough: pagination.completeThrough };
  };
  return Object.assign(api, { baseUrl, read });
}

async function publish(cell: Cell, count: number): Promise<void> {
  sent[cell] += (await cells.publish(cell, count)).length;
}

const awaitServed = (api: Api, cell: Cell) =>
  eventually(`all records of ${cell} are served`, 60_000, async () => (await api.read(cell)).ids.length === sent[cell]);

/** The sum of the series of the metric with this text. */
async function readMetric({ healthPort }: ProductProcess, name: string, labels: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(labels));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
const readServed = (api: ProductProcess) =>
  readMetric(
    api,
    'tenantscope_replica_requests_total',
    `cell="eu1",replica="${new URL(`pg://${address}`).host}",result="served"`,
  );
const awaitUsed = (api: ProductProcess, isUsed: boolean) =>
  eventually(`the replica is ${isUsed ? '' : 'not '}used`, 30_000, async () => {
    return (await readMetric(api, 'tenantscope_replica_used', 'cell="eu1"')) === (isUsed ? 1 : 0);
  });

/** Stops the replay of the standby during the work, which gets the time through which its log is settled. */
async function whilePaused(work: (settledThrough: string) => Promise<void>): Promise<void> {
  await standby.query('select pg_wal_replay_pause()');
  try {
    await eventually('replay is paused', 10_000, async () => {
      const { rows } = await standby.query<{ state: string }>('select pg_get_wal_replay_pause_state() as state');
      return rows[0]?.state === 'paused';
    });
    const { rows } = await standby.query<{ at: Date }>(
      `select min(settled_at) as at from models.lane_watermark where source = $1`,
      [topics.activity.suffix],
    );
    await work(rows[0]?.at.toISOString() as string);
  } finally {
    await resumeReplay(standby);
  }
}

test('a read replica of a cell serves pages of its tenants with its own watermark, and is left out while it is behind', async () => {
  await using api = await startApi({ TENANTSCOPE_CELL_EU1_READ_REPLICAS: address });
  for (const cell of ['default', 'eu1'] as const) await publish(cell, 20);
  for (const cell of ['default', 'eu1'] as const) await awaitServed(api, cell);
  await awaitUsed(api, true);
  const before = await readServed(api);
  for (let number = 0; number < 10; number++) await api.read('eu1');
  for (let number = 0; number < 10; number++) await api.read('default');
  expect(await readServed(api)).toBe(before + 10);

  await whilePaused(async (settledThrough) => {
    await publish('eu1', 30);
    let servedBefore = await readServed(api);
    await eventually('the new rows are served', 60_000, async () => {
      const page = await api.read('eu1');
      const served = await readServed(api);
      if (served > servedBefore) expect(page.completeThrough <= settledThrough, 'bounded by the replica').toBe(true);
      servedBefore = served;
      return page.ids.length === sent.eu1;
    });
    await awaitUsed(api, false);
    await api.read('eu1');
    expect(await readServed(api)).toBe(servedBefore);
  });
  await awaitUsed(api, true);
  const again = await readServed(api);
  expect(new Set((await api.read('eu1')).ids).size).toBe(sent.eu1);
  expect(await readServed(api)).toBe(again + 1);
}, 180_000);

test('a standby of a cell bounds the watermark of its tenants, and of no other', async () => {
  await using api = await startApi({ TENANTSCOPE_CELL_EU1_STANDBYS: address });
  for (const cell of ['default', 'eu1'] as const) await awaitServed(api, cell);
  await whilePaused(async (settledThrough) => {
    const served = await api.read('eu1');
    for (const cell of ['default', 'eu1'] as const) await publish(cell, 10);
    await awaitServed(api, 'default');
    await eventually('the rows of the cell are written', 30_000, async () => (await countRows()) === sent.eu1);
    const page = await api.read('eu1');
    expect(page.ids).toEqual(served.ids);
    expect(page.completeThrough <= settledThrough).toBe(true);
    expect((await api.read('default')).completeThrough > settledThrough).toBe(true);
  });
  await awaitServed(api, 'eu1');
}, 180_000);

test('a named standby of a cell bounds nothing while commits do not wait for it, and the cell is reported as unprotected', async () => {
  await using api = await startApi({
    TENANTSCOPE_CELL_EU1_STANDBYS: address,
    TENANTSCOPE_CELL_EU1_STANDBY_NAMES: 'pg-2',
  });
  await awaitServed(api, 'eu1');
  await whilePaused(async (settledThrough) => {
    await publish('eu1', 10);
    await awaitServed(api, 'eu1');
    expect((await api.read('eu1')).completeThrough > settledThrough).toBe(true);
  });
  const readProtected = (cell: Cell) => readMetric(api, 'tenantscope_failover_protected', `cell="${cell}"`);
  await eventually('the protection of both cells is measured', 15_000, async () => {
    return (await readProtected('default')) === 1;
  });
  expect(await readProtected('eu1')).toBe(0);
}, 180_000);

async function countRows(): Promise<number> {
  const client = new pg.Client(installation.cells.get('eu1')?.database.superuser);
  await client.connect();
  try {
    return (
      (await client.query('select from models.audit_log where tenant_id = $1', [cells.tenantIds.eu1])).rowCount ?? 0
    );
  } finally {
    await client.end();
  }
}
