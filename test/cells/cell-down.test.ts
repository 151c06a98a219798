import { connectConsole } from '@tenantscope/store/console';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';
import { type ProductProcess, startProcess } from '../installation/processes.ts';
import type { CellInstallation } from './cell-installation.ts';
import { runFailingCommand } from './failing-command.ts';
import { type Cell, createSeparateCells, type SeparateCells } from './separate-cells.ts';

// Two cells, each on a server of its own, of which one is killed.

const stack = new AsyncDisposableStack();
let cells: SeparateCells;
let installation: CellInstallation;
let api: ProductProcess;

beforeAll(async () => {
  cells = stack.use(await createSeparateCells());
  installation = cells.installation;
  api = stack.use(await installation.start('api'));
  for (const cell of ['default', 'eu1'] as const) await cells.publish(cell, 1);
  for (const cell of ['default', 'eu1'] as const)
    await eventually(`the record of ${cell} is served`, 30_000, async () => (await readIds(cell)).length === 1);
}, 180_000);
afterAll(() => stack.disposeAsync(), 60_000);

const read = (cell: Cell, baseUrl = installation.baseUrl) =>
  createApiClient(baseUrl, cells.secret).get('/logs', {}, { 'X-Tenant-Id': cells.tenantIds[cell] });

const readIds = async (cell: Cell): Promise<string[]> =>
  ((await read(cell)).body.data ?? []).map(({ externalEventId }: { externalEventId: string }) => externalEventId);

const readHealth = async (path: string) => (await fetch(`http://127.0.0.1:${api.healthPort}${path}`)).text();

test('while the database of a cell is down its tenants get 503, and those of another cell are served as before', async () => {
  const [before] = await readIds('eu1');
  await cells.server.postgresService.kill();
  const refused = await eventuallyRefused();
  expect(refused.code).toBe('SERVICE_UNAVAILABLE');
  expect(refused.headers.get('retry-after')).toBe('1');

  // As many as one key may read at once, of both.
  const responses = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const cell = index % 2 === 0 ? 'default' : 'eu1';
      return { cell, status: (await read(cell)).status };
    }),
  );
  expect(new Set(responses.filter(({ cell }) => cell === 'default').map(({ status }) => status))).toEqual(
    new Set([200]),
  );
  expect(new Set(responses.filter(({ cell }) => cell === 'eu1').map(({ status }) => status))).toEqual(new Set([503]));
  const list = await createApiClient(installation.baseUrl, cells.secret).get('/tenants');
  expect(list.body.data.length).toBe(2);

  await eventually('the API reports the cell', 15_000, async () =>
    (await readHealth('/metrics')).includes('tenantscope_cell_available{cell="eu1"} 0'),
  );
  expect(await readHealth('/metrics')).toContain('tenantscope_cell_available{cell="default"} 1');
  expect(JSON.parse(await readHealth('/readyz'))).toMatchObject({
    status: 'ok',
    unavailableCells: { eu1: expect.any(String) },
  });

  expect(await runFailingCommand(installation.environment, 'cell', 'list')).toContain('the cell eu1 is unavailable');
  for (const command of [
    ['lanes', 'list'],
    ['dead-letters', 'list'],
    ['dead-letters', 'summary'],
  ])
    expect(await runFailingCommand(installation.environment, ...command)).toContain('the cell eu1 is unavailable');
  expect(await runFailingCommand(installation.environment, 'migrate')).toContain(
    'The database of the cell eu1 cannot be reached',
  );
  await checkConsole();
  await checkStart();

  const [written] = await cells.publish('eu1', 1);
  await cells.server.postgresService.restart();
  await eventually('the records of the cell are served again', 60_000, async () => (await readIds('eu1')).length === 2);
  expect(new Set(await readIds('eu1'))).toEqual(new Set([before, written]));
  await eventually('the API reports the cell', 15_000, async () =>
    (await readHealth('/metrics')).includes('tenantscope_cell_available{cell="eu1"} 1'),
  );
}, 180_000);

async function eventuallyRefused() {
  let response = await read('eu1');
  await eventually('the tenant of the cell gets 503', 15_000, async () => {
    response = await read('eu1');
    return response.status === 503;
  });
  return response;
}

/** The console shows no feed of the cell as complete, and those of the other as before. */
async function checkConsole(): Promise<void> {
  const { environment } = installation;
  await using store = await connectConsole({
    control: environment.TENANTSCOPE_CONSOLE_CONTROL_DATABASE_URL as string,
    models: environment.TENANTSCOPE_CONSOLE_DATABASE_URL as string,
    cells: [{ name: 'eu1', database: installation.cells.get('eu1')?.database.roles.console as string }],
  });
  const readUnopened = async (ids: string[]) =>
    (await store.feeds({ tenantIds: ids, hasEveryTenant: false })).feeds.find(({ feed }) => feed === 'logs')?.unopened;
  expect(await readUnopened([cells.tenantIds.default])).toEqual([]);
  expect(await readUnopened([cells.tenantIds.default, cells.tenantIds.eu1])).not.toEqual([]);
}

/** A process that starts meanwhile serves the other cell. */
async function checkStart(): Promise<void> {
  const port = Number(installation.environment.TENANTSCOPE_PORT) + 1;
  await using _second = await startProcess('api', { ...installation.environment, TENANTSCOPE_PORT: String(port) });
  const baseUrl = installation.baseUrl.replace(/:\d+\//, `:${port}/`);
  expect((await read('default', baseUrl)).status).toBe(200);
  expect((await read('eu1', baseUrl)).status).toBe(503);
}
