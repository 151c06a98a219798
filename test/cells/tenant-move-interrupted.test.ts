import { spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { productBundle } from '../installation/processes.ts';
import { runFailingCommand } from './failing-command.ts';
import { createMoveInstallation, type MoveInstallation } from './move-installation.ts';
import { readMovedRows } from './moved-rows.ts';

let installation: MoveInstallation;

beforeAll(async () => {
  installation = await createMoveInstallation(new Date(Date.now() - 60_000).toISOString());
}, 120_000);
afterAll(() => installation?.[Symbol.asyncDispose]());

const readState = async (): Promise<string | undefined> => {
  const { query, tenantId } = installation;
  const text = 'select state from control.tenant_move where tenant_id = $1 order by begun_at desc limit 1';
  return (await query<{ state: string }>('control', text, [tenantId]))[0]?.state;
};

interface Interruption {
  readonly signal: 'SIGKILL' | 'SIGTERM';
  /** What the command reports after the signal, before our lock is released; null: it ends. */
  readonly report: string | null;
}

/** Interrupts the command while it waits for a lock of ours, which is the state that `isReached` describes. Returns its exit status. */
async function interruptMove(
  cell: string,
  { place, lock }: { place: string; lock: string },
  isReached: () => Promise<boolean>,
  { signal, report }: Interruption = { signal: 'SIGKILL', report: null },
): Promise<number | null> {
  const { tenantId, environment, query, superuserOf } = installation;
  const control = environment.TENANTSCOPE_OWNER_CONTROL_DATABASE_URL as string;
  const client = new pg.Client(place === 'control' ? control : superuserOf(place));
  await client.connect();
  let ended = Promise.resolve<number | null>(null);
  try {
    if (place === 'control') await client.query("select set_config('tenantscope.actor', 'cli:test', false)");
    await client.query(`begin; ${lock}`);
    const program = (await productBundle()).program('cli');
    const child = spawn(process.execPath, [program, 'tenant', 'move', '--tenant', tenantId, '--cell', cell, '--yes'], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    ended = once(child, 'exit').then(([status]) => status as number | null);
    let reported = '';
    child.stderr.on('data', (chunk) => {
      reported += chunk;
    });
    const isWaiting = async () => {
      const waiting = await query(
        place,
        `select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database()) or not granted and locktype = 'transactionid'`,
      );
      return waiting.length > 0;
    };
    await eventually('the command waits', 60_000, async () => (await isReached()) && (await isWaiting()));
    child.kill(signal);
    if (report === null) await ended;
    else await eventually('the command reports it', 30_000, async () => reported.includes(report));
  } finally {
    await client.end();
  }
  // Its connection ends when its statement does.
  await eventually('the connection of the command has ended', 30_000, async () => {
    const rows = await query(
      'control',
      `select from pg_locks where locktype = 'advisory' and pid in (select pid from pg_stat_activity where application_name = 'tenantscope migrate' and datname = current_database())`,
    );
    return rows.length === 0;
  });
  return ended;
}

const whileCopying = (cell: string) =>
  interruptMove(
    cell,
    { place: cell, lock: 'lock table models.entity_user in access exclusive mode' },
    async () => (await readState()) === 'copying',
  );
/** The last moment before the switch: the rows are there, and the mark of the target is gone. */
const whileSwitching = (cell: string, interruption?: Interruption) =>
  interruptMove(
    cell,
    { place: 'control', lock: `select from control.tenant where id = '${installation.tenantId}' for no key update` },
    async () =>
      (await readState()) === 'fenced' &&
      (await installation.query(cell, 'select from models.tenant_move where tenant_id = $1', [installation.tenantId]))
        .length === 0,
    interruption,
  );

test('a move that was killed while it copied is continued', async () => {
  const { tenantId, publish, awaitAllServed, superuserOf, move } = installation;
  await publish('default', tenantId, 200);
  await awaitAllServed();
  await whileCopying('eu1');
  expect(await readState()).toBe('copying');
  await publish('default', tenantId, 100);
  await awaitAllServed();
  await move('eu1');
  expect(await readMovedRows(superuserOf('eu1'), tenantId)).toEqual(
    await readMovedRows(superuserOf('default'), tenantId),
  );
  await awaitAllServed();
});

/** As the ingest of a cell reports them. */
async function readFenced(cell: string): Promise<{ count: number; seconds: number }> {
  const metrics = await installation.readMetrics(cell);
  const read = (name: string) => Number(new RegExp(`^${name}{cell="${cell}"} (.+)$`, 'm').exec(metrics)?.[1]);
  return { count: read('tenantscope_fenced_tenants'), seconds: read('tenantscope_tenant_fenced_seconds') };
}

const awaitUnfenced = (cell: string) =>
  eventually(`no tenant of ${cell} is fenced`, 30_000, async () => (await readFenced(cell)).count === 0);

test('a tenant whose move was killed before the switch is served through the fence, and cancelling the move restores it', async () => {
  const { tenantId, publish, readLogs, readIds, awaitAllServed, query, cli, sent, environment } = installation;
  await whileSwitching('default');
  const before = await readIds();
  await publish('eu1', tenantId, 40);
  await eventually('the records are dead letters', 30_000, async () => {
    const rows = await query('eu1', `select from models.dead_letter where tenant_id = $1 and state = 'pending'`, [
      tenantId,
    ]);
    return rows.length === 40;
  });
  const [move] = await query<{ through: Date }>(
    'eu1',
    'select served_through as through from models.tenant_move where tenant_id = $1',
    [tenantId],
  );
  const page = await readLogs();
  expect(page.pagination.completeThrough).toBe(move?.through.toISOString());
  expect(await readIds()).toEqual(before);
  await eventually('ingest reports the tenant', 30_000, async () => (await readFenced('eu1')).count === 1);
  expect((await readFenced('eu1')).seconds).toBeGreaterThan(0);
  const status = await cli<{ moves: unknown }>('status');
  expect(status.moves).toMatchObject([{ state: 'switched' }, { tenantId, fromCell: 'eu1', state: 'fenced' }]);
  // Whose rows the tenant left there are marked too.
  await awaitUnfenced('default');
  const other = await runFailingCommand(environment, ...`tenant move --tenant ${tenantId} --confirm`.split(' '));
  expect(other).toContain('no completed move');

  await cli(`tenant move --tenant ${tenantId} --cancel`);
  expect(await readState()).toBe('cancelled');
  await awaitUnfenced('eu1');
  expect(await readFenced('eu1')).toEqual({ count: 0, seconds: 0 });
  await awaitAllServed();
  expect((await readLogs()).pagination.completeThrough > page.pagination.completeThrough).toBe(true);
  expect(await query('eu1', 'select from models.tenant_move where tenant_id = $1', [tenantId])).toEqual([]);
  // Its rows there wait for the confirmation of the first move.
  expect(await query('default', 'select is_arriving from models.tenant_move where tenant_id = $1', [tenantId])).toEqual(
    [{ is_arriving: false }],
  );
  expect(sent.length).toBe(340);
});

test('a move that was killed before the switch is continued', async () => {
  const { tenantId, publish, awaitAllServed, move, superuserOf } = installation;
  await whileSwitching('default');
  await publish('eu1', tenantId, 10);
  const { forwarded } = await move('default');
  expect(forwarded).toBeLessThanOrEqual(10);
  await move('default');
  await awaitAllServed();
  await publish('default', tenantId, 10);
  await awaitAllServed();
  const [own, left] = [
    await readMovedRows(superuserOf('default'), tenantId),
    await readMovedRows(superuserOf('eu1'), tenantId),
  ];
  expect(own.audit_log?.length).toBe(360);
  expect(left.audit_log?.length).toBeGreaterThanOrEqual(340);
});

test('a move that is interrupted before the switch ends after it, and the next command forwards what is left', async () => {
  const { tenantId, publish, awaitAllServed, move } = installation;
  expect(await whileSwitching('eu1', { signal: 'SIGTERM', report: 'the command ends after the switch' })).toBe(1);
  expect(await readState()).toBe('switched');
  await publish('default', tenantId, 10);
  let count = 0;
  await eventually('the records are dead letters, and are forwarded', 60_000, async () => {
    count += (await move('eu1')).forwarded;
    return count === 10;
  });
  await awaitAllServed();
});

test('a cancelled move erases what was copied', async () => {
  const { otherId, publish, query, cli, superuserOf, readIds, environment } = installation;
  await publish('default', otherId, 20);
  await eventually('they are served', 30_000, async () => (await readIds(otherId)).length === 20);
  const client = new pg.Client(environment.TENANTSCOPE_OWNER_CONTROL_DATABASE_URL);
  await client.connect();
  await client.query(`select set_config('tenantscope.actor', 'cli:test', false)`);
  await client.query(
    `insert into control.tenant_move (tenant_id, from_cell, to_cell, begun_by) values ($1, 'default', 'eu1', 'cli:test')`,
    [otherId],
  );
  await client.end();
  await query(
    'eu1',
    `insert into models.log_identity (tenant_id, id, discovered_at) values ($1, gen_random_uuid(), now())`,
    [otherId],
  );
  await cli(`tenant move --tenant ${otherId} --cancel`);
  expect(Object.values(await readMovedRows(superuserOf('eu1'), otherId)).flat()).toEqual([]);
  expect(await query('eu1', 'select from models.tenant_move where tenant_id = $1', [otherId])).toEqual([]);
  expect((await readIds(otherId)).length).toBe(20);
});
