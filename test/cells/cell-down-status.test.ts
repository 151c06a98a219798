import { topics } from '@tenantscope/contract';
import type { ConsoleStore } from '@tenantscope/store/console';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { type CellServers, startCellServers } from './cell-servers.ts';
import { runPartialCommand } from './failing-command.ts';
import type { Cell } from './separate-cells.ts';

// Two cells and a control database, each on a server of its own. The state of the installation is shown while one is down, or hangs.

const stack = new AsyncDisposableStack();
const cellNames = ['default', 'eu1'] as const;
let servers: CellServers['servers'];
let installation: CellServers['installation'];
let store: ConsoleStore;
const tenantIds = { default: '', eu1: '' };
/** An import of each tenant that began in the other cell, before the tenant moved. */
const importIds = { default: '', eu1: '' };

beforeAll(async () => {
  const cellServers = stack.use(await startCellServers());
  ({ servers, installation } = cellServers);
  const { cli } = installation;
  const { id: organizationId } = await cli<{ id: string }>('org create --name Larkspur');
  for (const cell of cellNames)
    tenantIds[cell] = (
      await cli<{ id: string }>(`tenant create --name ${cell} --org ${organizationId} --cell ${cell}`)
    ).id;
  for (const cell of cellNames) stack.use(await installation.start('ingest', cell));
  for (const cell of cellNames) importIds[cell] = await writeImport(cell, otherOf(cell));
  store = stack.use(await cellServers.connectStore());
  await eventually('both cells are complete', 30_000, isComplete);
}, 180_000);
afterAll(() => stack.disposeAsync(), 60_000);

const otherOf = (cell: Cell): Cell => (cell === 'default' ? 'eu1' : 'default');

/** An import of 20 messages that began in the cell `began`: that cell has counted all of them, and the cell of the tenant those before the move. */
async function writeImport(cell: Cell, began: Cell): Promise<string> {
  const { cells } = installation;
  const topic = `${cells.get(began)?.topicPrefix}.${topics.activity.suffix}`;
  const id = crypto.randomUUID();
  for (const [place, messages] of [
    [cell, 15],
    [began, 20],
  ] as const) {
    const client = new pg.Client(cells.get(place)?.database.superuser);
    await client.connect();
    await client.query(
      `insert into models.import (id, tenant_id, topic, format, input, files, started_by, published, published_at)
       values ($1, $2, $3, 'f', 'auto', '[]', 'test', 20, now())`,
      [id, tenantIds[cell], topic],
    );
    await client.query(
      `insert into models.import_lane (import_id, cluster_id, topic_id, partition, last_sequence, messages, records, rows, duplicates, dead_letters)
       values ($1, 'c', $1, 0, $2, $2, $2, $2, 0, '{}')`,
      [id, messages],
    );
    await client.end();
  }
  return id;
}

async function isComplete(): Promise<boolean> {
  const { feeds } = await store.feeds({ tenantIds: Object.values(tenantIds), hasEveryTenant: false });
  return feeds.every(({ unopened }) => unopened.length === 0);
}

interface ShownStatus {
  readonly cells: { readonly name: string; readonly problem: string | null; readonly completeThrough: string | null }[];
  readonly feeds?: object;
  readonly keys: object;
}

const countIn = (text: string, part: string) => text.split(part).length - 1;

for (const down of cellNames)
  for (const [failure, fail] of [
    ['is down', (server: CellServers['servers'][Cell]) => server.postgresService.kill()],
    ['hangs', async (server: CellServers['servers'][Cell]) => server.postgresService.pause()],
  ] as const)
    test(`while the cell ${down} ${failure}, the state of the other cell is shown, and the name of this one with the reason`, async () => {
      const up = otherOf(down);
      const server = servers[down];
      const run = (line: string) => runPartialCommand(installation.environment, ...line.split(' '));
      await fail(server);
      try {
        const problem = `tenantscope: the cell ${down} is unavailable: `;
        for (const command of ['status', 'cell list']) {
          const { status, stdout, stderr } = await run(`${command} --json`);
          expect([status, countIn(stderr, problem)], stderr).toEqual([1, 1]);
          const {
            cells = [],
            data = cells,
            ...rest
          } = JSON.parse(stdout) as ShownStatus & { data: ShownStatus['cells'] };
          const find = (cell: Cell) => data.find(({ name }) => name === cell);
          expect(find(up)).toMatchObject({ problem: null, completeThrough: expect.any(String) });
          expect(find(down)?.problem).toMatch(/^the cell \S+ is unavailable: .+/);
          if (command === 'status') expect(rest.keys).toEqual({ active: 0, expired: 0, revoked: 0 });
          if (command === 'status') expect(rest.feeds !== undefined).toBe(up === 'default');
        }
        const text = await run('status');
        expect(text.stdout).toMatch(new RegExp(`^${down} .* unavailable `, 'm'));
        expect(text.stdout).toContain('Keys: 0 active');

        // An import that this cell counts: what the other one has of it.
        const shown = await run(`imports show ${importIds[up]} --json`);
        expect([shown.status, countIn(shown.stderr, problem)], shown.stderr).toEqual([1, 1]);
        expect(JSON.parse(shown.stdout)).toMatchObject({ published: 20, messages: 15, isSettled: false });

        const sight = { tenantIds: Object.values(tenantIds), hasEveryTenant: false };
        const report = await store.feeds(sight);
        expect(report.unavailableCells).toEqual([down]);
        expect(report.feeds.find(({ feed }) => feed === 'logs')?.lanes.length).toBeGreaterThan(0);
        expect((await store.feeds({ ...sight, tenantIds: [tenantIds[up]] })).unavailableCells).toEqual([]);
        const { databaseNow } = await store.feedMinutes([tenantIds[down]]);
        expect(Date.parse(databaseNow)).toBeGreaterThan(0);
      } finally {
        if (failure === 'hangs') server.postgresService.resume();
        else await server.postgresService.restart();
      }
      await eventually('both cells are complete', 60_000, async () => isComplete().catch(() => false));
      expect(await installation.cli(`imports show ${importIds[up]}`)).toMatchObject({ messages: 20, isSettled: true });
    }, 180_000);
