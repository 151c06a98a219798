import { topics } from '@tenantscope/contract';
import { connectPublisher, type Publisher } from '@tenantscope/publish';
import type { ConsoleStore } from '@tenantscope/store/console';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { type CellServers, startCellServers } from './cell-servers.ts';
import { runPartialCommand } from './failing-command.ts';
import type { Cell } from './separate-cells.ts';

// Two cells and a control database, each on a server of its own. Operators and administrators see what the other cell has while one is down.

const stack = new AsyncDisposableStack();
const cellNames = ['default', 'eu1'] as const;
let servers: CellServers['servers'];
let installation: CellServers['installation'];
let publisher: Publisher;
let tenantIds: Record<Cell, string>;
let organizationIds: Record<Cell, string>;
let store: ConsoleStore;

beforeAll(async () => {
  const cellServers = stack.use(await startCellServers());
  ({ servers, installation } = cellServers);
  publisher = stack.use(await connectPublisher({ brokers: inject('services').kafka, clientId: 'test' }));
  const { cli } = installation;
  const createIn = async (cell: Cell) => {
    const { id } = await cli<{ id: string }>(`org create --name ${cell}`);
    organizationIds = { ...organizationIds, [cell]: id };
    const tenant = await cli<{ id: string }>(`tenant create --name ${cell} --org ${id} --cell ${cell}`);
    tenantIds = { ...tenantIds, [cell]: tenant.id };
  };
  for (const cell of cellNames) await createIn(cell);
  for (const cell of cellNames) stack.use(await installation.start('ingest', cell));
  store = stack.use(await cellServers.connectStore());
  // A dead letter in each cell, of the tenant of the other one.
  for (const cell of cellNames) await publishWrong(cell, tenantIds[otherOf(cell)]);
  await eventually('each cell has a dead letter', 30_000, async () => (await list()).length === 2);
}, 180_000);
afterAll(() => stack.disposeAsync(), 60_000);

const otherOf = (cell: Cell): Cell => (cell === 'default' ? 'eu1' : 'default');
const topicOf = (cell: Cell) => `${installation.cells.get(cell)?.topicPrefix}.${topics.activity.suffix}`;

const publishWrong = (cell: Cell, tenantId: string) =>
  publisher.publish(topicOf(cell), [activityMessage(tenantId, activityRecord(1))]);

interface Listed {
  readonly id: string;
  readonly topic: string;
  readonly state: string;
}
const list = async () =>
  (await installation.cli<{ data: Listed[] }>('dead-letters list --state pending --reason OTHER_CELL')).data;

/** The result and the error output of a command that must fail. */
async function runPartly<Document>(line: string): Promise<{ document: Document; stderr: string }> {
  const { stdout, stderr } = await runPartialCommand(installation.environment, ...`${line} --json`.split(' '));
  return { document: stdout === '' ? (null as Document) : JSON.parse(stdout), stderr };
}

const readConsole = (tenantId: string) => {
  const query = { tenantIds: [tenantId], hasEveryTenant: false, state: 'pending' } as const;
  const page = { after: null, limit: 100 };
  return store.deadLetters.read({ query, ofEveryReason: query, ofEveryTopic: query, page });
};

test('dead letters in a cell in which the organization has no tenant are listed and counted in the console', async () => {
  for (const cell of cellNames) {
    const tenantId = tenantIds[cell];
    const read = await readConsole(tenantId);
    expect(read).toMatchObject({
      unavailableCells: [],
      reasons: [{ reason: 'OTHER_CELL', count: 1 }],
      deadLetters: [{ topic: topicOf(otherOf(cell)), tenantId }],
    });
    expect((await store.feeds({ tenantIds: [tenantId], hasEveryTenant: false })).pending).toBe(1);
  }
});

for (const down of cellNames)
  test(`while the cell ${down} is down its lanes and dead letters are missing, and those of the other cell are not`, async () => {
    const up = otherOf(down);
    const all = await list();
    const find = (cell: Cell) => all.find(({ topic }) => topic === topicOf(cell)) as Listed;
    await servers[down].postgresService.kill();
    try {
      const problem = `the cell ${down} is unavailable`;
      const lanes = await runPartly<{ data: { topic: string }[] }>('lanes list');
      expect(lanes.stderr).toContain(problem);
      const listed = new Set(lanes.document.data.map(({ topic }) => topic));
      expect([listed.has(topicOf(up)), listed.has(topicOf(down))]).toEqual([true, false]);
      const pending = await runPartly<{ data: Listed[] }>('dead-letters list --state pending');
      expect(pending.stderr).toContain(problem);
      expect(pending.document.data.map(({ id }) => id)).toEqual([find(up).id]);

      // The console: the screen and the state of the feeds.
      const read = await readConsole(tenantIds[down]);
      expect(read).toMatchObject({ unavailableCells: [down], deadLetters: [{ id: find(up).id }] });
      expect((await readConsole(tenantIds[up])).deadLetters).toEqual([]);
      const sight = { tenantIds: [tenantIds[down]], hasEveryTenant: false };
      expect((await store.deadLetters.readOriginal(sight, find(up).id))?.id).toBe(find(up).id);
      await expect(store.deadLetters.readOriginal(sight, find(down).id)).rejects.toThrow(`the cell ${down}`);
      await expect(store.deadLetters.filterVisible(sight, [find(down).id])).rejects.toThrow(`the cell ${down}`);

      // Commands on one dead letter or lane find it in the other cell, and say where they could not look.
      expect(await installation.cli(`dead-letters show ${find(up).id}`)).toMatchObject({ id: find(up).id });
      expect((await runPartly(`dead-letters show ${find(down).id}`)).stderr).toContain(problem);
      expect((await runPartly(`dead-letters replay ${find(down).id}`)).stderr).toContain(problem);
      expect(await installation.cli(`lanes resume ${topicOf(up)}/0`)).toMatchObject({ resumed: false });
      expect((await runPartly(`lanes resume ${topicOf(down)}/0`)).stderr).toContain(problem);

      // Commands on all cells do what they can, and say what they did not.
      const counted = await runPartly('dead-letters discard --reason OTHER_CELL --dry-run');
      expect(counted).toMatchObject({ document: { matching: 1 }, stderr: expect.stringContaining(problem) });
      const replayed = await runPartly('dead-letters replay --reason OTHER_CELL');
      expect(replayed).toMatchObject({
        document: { accepted: 1, settled: 1 },
        stderr: expect.stringContaining(`${problem}: `),
      });
      expect(replayed.stderr).toContain('repeat the command for its dead letters');
    } finally {
      await servers[down].postgresService.restart();
    }
    // Where it was sent it becomes a row, and the cell that was down has its own dead letter.
    await eventually('the cell responds', 60_000, async () => {
      return (await list()).map(({ id }) => id).includes(find(down).id);
    });
    await publishWrong(up, tenantIds[down]);
    await eventually('each cell has a dead letter', 60_000, async () => (await list()).length === 2);
  }, 180_000);

interface Sources {
  readonly sources: { tenantId: string }[];
  readonly bindings: { topic: string; state: string }[];
}
const listTenants = ({ sources }: Sources) => new Set(sources.map(({ tenantId }) => tenantId));

test('imports, sources and source bindings of each cell are listed', async () => {
  const { cli, cells } = installation;
  for (const cell of cellNames) {
    const models = new pg.Client(cells.get(cell)?.database.superuser as string);
    await models.connect();
    await models.query(
      `insert into models.import (tenant_id, topic, format, input, files, started_by) values ($1, $2, 'f', 'auto', '[]', $3)`,
      [tenantIds[cell], topicOf(cell), cell],
    );
    await models.end();
    await publisher.publish(topicOf(cell), [activityMessage(tenantIds[cell], activityRecord(2))]);
  }
  await cli(`source create --topic lake.activity --format o365.management-activity --tenant ${tenantIds.default}`);
  const { data } = await cli<{ data: { startedBy: string }[] }>('imports list');
  expect(data.map(({ startedBy }) => startedBy)).toEqual(cellNames.toReversed());
  await eventually('each cell has a source', 30_000, async () => listTenants(await cli<Sources>('sources')).size === 2);
}, 60_000);

for (const down of cellNames)
  test(`while the cell ${down} is down, imports, sources and source bindings of the other cell are listed`, async () => {
    const up = otherOf(down);
    await servers[down].postgresService.kill();
    try {
      const problem = `tenantscope: the cell ${down} is unavailable`;
      const countProblems = (stderr: string) => stderr.split(problem).length - 1;
      const imports = await runPartly<{ data: { startedBy: string }[] }>('imports list');
      expect(imports.document.data.map(({ startedBy }) => startedBy)).toEqual([up]);
      expect(countProblems(imports.stderr)).toBe(1);
      const sources = await runPartly<Sources>('sources');
      expect(listTenants(sources.document)).toEqual(new Set([tenantIds[up]]));
      expect(sources.document.bindings).toMatchObject([{ topic: 'lake.activity' }]);
      expect(countProblems(sources.stderr)).toBe(1);
      const bindings = await runPartly<{ data: Sources['bindings'] }>('source list');
      expect(bindings.document.data).toMatchObject([{ topic: 'lake.activity' }]);
      expect(countProblems(bindings.stderr)).toBe(1);
    } finally {
      await servers[down].postgresService.restart();
    }
    await eventually('the cell responds', 60_000, async () => {
      const listed = await installation.cli<{ data: unknown[] }>('imports list').catch(() => ({ data: [] }));
      return listed.data.length === 2;
    });
  }, 180_000);
