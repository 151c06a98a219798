import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { runFailingCommand } from './failing-command.ts';
import { activityLine, countRows, importLines, showImport } from './import-lines.ts';
import { createMoveInstallation, type MoveInstallation } from './move-installation.ts';

// Imports are of the cell of their tenant: finished ones, one that runs while its tenant moves, and one that was interrupted before.

let installation: MoveInstallation;

beforeAll(async () => {
  installation = await createMoveInstallation(new Date(Date.now() - 60_000).toISOString());
}, 120_000);
afterAll(() => installation?.[Symbol.asyncDispose]());

const list = async () => (await installation.cli<{ data: { id: string }[] }>('imports list')).data.map(({ id }) => id);

async function countRollbacks(): Promise<number> {
  const [counted] = await installation.query<{ count: number }>(
    'default',
    'select xact_rollback::int as count from pg_stat_database where datname = current_database()',
  );
  return counted?.count ?? 0;
}

let imported = 0;
let importedId: string;
let interruptedId: string;

test('an import that runs while its tenant moves misses no record, writes each once, and ends', async () => {
  const { query, tenantId } = installation;
  const failed = await importLines(
    installation,
    (function* () {
      for (let number = 0; number < 5_000; number++) yield activityLine(number);
      throw new Error('the disk was removed');
    })(),
  );
  expect(failed.stderr).toContain('tenantscope import --resume');
  interruptedId = /--resume ([0-9a-f-]{36})/.exec(failed.stderr)?.[1] as string;
  const ofInterrupted = Number(/([0-9,]+) records were published/.exec(failed.stderr)?.[1]?.replaceAll(',', ''));
  await eventually(
    'they are rows',
    30_000,
    async () => (await countRows(installation, 'default')).rows === ofInterrupted,
  );

  let isMoved = false;
  let count = 0;
  const lines = async function* () {
    for (let rest = 2_000; rest > 0; count++) {
      yield activityLine(count);
      if (isMoved) rest -= 1;
      else if (count % 10 === 0) await pause(5);
    }
  };
  const running = importLines(installation, lines());
  await eventually('it publishes', 30_000, async () => {
    const rows = await query('default', 'select from models.import where tenant_id = $1 and published > 0', [tenantId]);
    return rows.length === 2;
  });
  // A tenant that is fenced: the import waits.
  const mark = 'insert into models.tenant_move (tenant_id, cell, is_arriving) values ($1, $2, false)';
  await query('default', mark, [tenantId, 'eu1']);
  const before = await countRollbacks();
  await eventually('the import is refused', 30_000, async () => (await countRollbacks()) > before + 3);
  await query('default', 'delete from models.tenant_move where tenant_id = $1', [tenantId]);
  await installation.move('eu1');
  isMoved = true;
  const { result, stderr } = await running;
  expect(stderr).toContain('dead letters; look at them');
  const { rows, deadLetters, importId } = result;
  expect(result).toMatchObject({ published: count, messages: count, duplicates: 0, isComplete: true, isSettled: true });
  expect(rows).toBeGreaterThan(0);
  expect(deadLetters).toEqual({ OTHER_CELL: count - rows });

  // Once its producers have ended, the same command forwards the rest.
  await installation.move('eu1');
  imported = ofInterrupted + count;
  await eventually('all are rows', 30_000, async () => (await countRows(installation, 'eu1')).rows >= imported);
  expect(await countRows(installation, 'eu1')).toEqual({ rows: imported, records: imported });
  importedId = importId;
}, 180_000);

test('an import of a moved tenant is listed once, as its cell has it', async () => {
  const { query, cli } = installation;
  await query('eu1', `update models.import set started_by = 'of eu1' where id = $1`, [importedId]);
  expect((await list()).toSorted()).toEqual([importedId, interruptedId].toSorted());
  const { data } = await cli<{ data: { id: string; startedBy: string }[] }>('imports list --limit 1');
  expect(data).toMatchObject([{ id: importedId, startedBy: 'of eu1' }]);
  await query('eu1', 'update models.import set published = published + 1 where id = $1', [importedId]);
  const { published, messages, isSettled } = await showImport(installation, importedId);
  expect([published, isSettled]).toEqual([messages + 1, false]);
  await query('eu1', 'update models.import set published = published - 1 where id = $1', [importedId]);
  const { sources } = await cli<{ sources: { source: string; rows: number }[] }>('sources');
  expect(new Set(sources.map(({ source }) => source)).size).toBe(sources.length);
  expect(new Set(sources.map(({ rows }) => rows))).toEqual(new Set([imported]));
});

test('an import that was interrupted before its tenant moved is not resumed', async () => {
  const refused = await runFailingCommand(installation.environment, 'import', '--resume', interruptedId);
  expect(refused).toContain('the tenant was moved to the cell eu1');
  expect(refused).toContain('import the files again: records that are written are duplicates');
});

test('what the former cell has counted of an import stays when the move is confirmed', async () => {
  const { query, cli, tenantId } = installation;
  const before = await showImport(installation, importedId);
  await query(
    'control',
    `update control.tenant_move set switched_at = switched_at - interval '11 minutes' where tenant_id = $1`,
    [tenantId],
  );
  await cli(`tenant move --tenant ${tenantId} --confirm`);
  // The interrupted one may have messages that are not counted.
  expect(await query('default', 'select id from models.import where tenant_id = $1', [tenantId])).toEqual([
    { id: interruptedId },
  ]);
  expect(await showImport(installation, importedId)).toEqual(before);
});
