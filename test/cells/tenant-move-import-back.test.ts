import { setTimeout as pause } from 'node:timers/promises';
import { connectAdmin } from '@tenantscope/store/admin';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { moveUrl } from './cell-installation.ts';
import { activityLine, countRows, type ImportResult, importLines, showImport } from './import-lines.ts';
import { createMoveInstallation, type MoveInstallation } from './move-installation.ts';

// An import goes on in the topics in which it began, whatever becomes of its tenant meanwhile: the cell of these topics counts it.

let installation: MoveInstallation;

beforeAll(async () => {
  installation = await createMoveInstallation(new Date(Date.now() - 60_000).toISOString());
}, 120_000);
afterAll(() => installation?.[Symbol.asyncDispose]());

interface RunningImport {
  /** Lets the import end; returns its result and the number of its lines. */
  end(): Promise<{ result: ImportResult; lines: number }>;
}

/** Begins with the line `from`, and publishes until it is ended. */
async function startImport(from: number): Promise<RunningImport> {
  const { query, tenantId } = installation;
  const countImports = async () =>
    (await query('default', 'select from models.import where tenant_id = $1 and published > 0', [tenantId])).length;
  const before = await countImports();
  let isEnding = false;
  let lines = 0;
  const generate = async function* () {
    for (; !isEnding; lines++) {
      yield activityLine(from + lines);
      if (lines % 10 === 0) await pause(5);
    }
  };
  const running = importLines(installation, generate());
  await eventually('it publishes', 30_000, async () => (await countImports()) > before);
  return {
    async end() {
      isEnding = true;
      const { result, stderr } = await running;
      expect(result, stderr).not.toBeNull();
      return { result, lines };
    },
  };
}

/** By the lanes of a cell: messages of all imports of the tenant that were dead letters. */
async function countOtherCell(cell: string): Promise<number> {
  const [counted] = await installation.query<{ count: number }>(
    cell,
    `select coalesce(sum((l.dead_letters ->> 'OTHER_CELL')::int), 0)::int as count from models.import_lane l join models.import i on i.id = l.import_id
      where i.tenant_id = $1`,
    [installation.tenantId],
  );
  return counted?.count ?? 0;
}

/** Waits until the import has more dead letters in the cell in which it began. */
async function awaitMoreDeadLetters(): Promise<void> {
  const before = await countOtherCell('default');
  await eventually('more of its messages are dead letters', 30_000, async () => {
    return (await countOtherCell('default')) > before;
  });
}

/** As if the move were as old as a confirmation requires. */
async function confirmMove(): Promise<void> {
  const { query, cli, tenantId } = installation;
  await query(
    'control',
    `update control.tenant_move set switched_at = switched_at - interval '11 minutes' where tenant_id = $1 and state = 'switched'`,
    [tenantId],
  );
  await cli(`tenant move --tenant ${tenantId} --confirm`);
}

const expectCounted = ({ result, lines }: { result: ImportResult; lines: number }) => {
  expect(result).toMatchObject({ published: lines, messages: lines, duplicates: 0, isComplete: true, isSettled: true });
  expect(result.deadLetters).toEqual({ OTHER_CELL: lines - result.rows });
};

/** What is shown later is what the import has reported at its end. */
async function expectSame({ importId, messages, rows, deadLetters }: ImportResult): Promise<void> {
  const shown = await showImport(installation, importId);
  expect(shown).toMatchObject({ published: messages, messages, rows, deadLetters, isSettled: true });
}

let imported = 0;
const results: ImportResult[] = [];

test('an import that runs while its tenant moves and moves back counts each of its messages once', async () => {
  const { move } = installation;
  const running = await startImport(0);
  await move('eu1');
  await awaitMoreDeadLetters();
  await move('default');
  const ended = await running.end();
  expectCounted(ended);
  imported = ended.lines;
  results.push(ended.result);
  await move('default');
  await eventually('all are rows', 60_000, async () => (await countRows(installation, 'default')).rows >= imported);
  expect(await countRows(installation, 'default')).toEqual({ rows: imported, records: imported });
}, 180_000);

const listIds = async () =>
  (await installation.cli<{ data: { id: string }[] }>('imports list')).data.map(({ id }) => id).toSorted();

test('an import that runs while a move of its tenant is confirmed counts each of its messages once', async () => {
  const { move, cli, query, tenantId } = installation;
  await confirmMove();
  const running = await startImport(imported);
  await move('eu1');
  await confirmMove();
  await awaitMoreDeadLetters();
  // What has ended is erased, and what runs is counted where it began.
  const left = await query<{ id: string }>('default', 'select id from models.import where tenant_id = $1', [tenantId]);
  expect(left.length).toBe(1);
  expect(await listIds()).toEqual([results[0]?.importId, left[0]?.id].toSorted());
  await expectSame(results[0] as ImportResult);

  await move('default');
  const ended = await running.end();
  expectCounted(ended);
  results.push(ended.result);
  await cli(`dead-letters replay --tenant ${tenantId} --reason OTHER_CELL`);
  imported += ended.lines;
  await eventually('all are rows', 60_000, async () => (await countRows(installation, 'default')).rows >= imported);
  expect(await countRows(installation, 'default')).toEqual({ rows: imported, records: imported });
  await confirmMove();
  expect(await query('eu1', 'select from models.import where tenant_id = $1', [tenantId])).toEqual([]);
  for (const result of results) await expectSame(result);
}, 180_000);

test('an import that read the cell of its tenant before the switch is created in the cell after it', async () => {
  const { environment, move, tenantId, query } = installation;
  const models = environment.TENANTSCOPE_ADMIN_DATABASE_URL as string;
  await using admin = await connectAdmin(
    {
      control: environment.TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL as string,
      models,
      cells: [{ name: 'eu1', database: moveUrl(models, installation.superuserOf('eu1')) }],
    },
    'cli:test',
  );
  const read: string[] = [];
  const input = { tenantId, format: 'f', input: 'auto', files: [], startedBy: 'test' };
  const { id, topic } = await admin.imports.create(input, async (cell) => {
    if (read.push(cell) === 1) await move('eu1');
    return `topic of ${cell}`;
  });
  expect([new Set(read), topic]).toEqual([new Set(['default', 'eu1']), 'topic of eu1']);
  for (const [cell, count] of [
    ['default', 0],
    ['eu1', 1],
  ] as const)
    expect(await query(cell, 'select from models.import where id = $1', [id])).toHaveLength(count);
}, 60_000);
