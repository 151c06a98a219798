import { PassThrough, Readable } from 'node:stream';
import { runCommand } from '@tenantscope/cli/command';
import { backfillLogTally } from '@tenantscope/store/ingest';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readActorDays, recountActorDays } from '../ingest/actor-days.ts';
import { eventually } from '../installation/eventually.ts';
import { openTestPool } from '../services/pool.ts';
import { createMoveInstallation, type MoveInstallation } from './move-installation.ts';

let installation: MoveInstallation;

beforeAll(async () => {
  installation = await createMoveInstallation(new Date(Date.now() - 60_000).toISOString());
}, 120_000);
afterAll(() => installation?.[Symbol.asyncDispose]());

/** Begins a backfill of actors as its migration does, which ingest does not continue meanwhile. Returns what finishes it. */
async function beginBackfill(cell: string, earlier = ''): Promise<() => Promise<void>> {
  const pool = openTestPool(installation.superuserOf(cell));
  const client = await pool.connect();
  await client.query(
    `begin; delete from models.log_tally_backfill; ${earlier}; select models.begin_log_tally_backfill('actor_tally');
     update models.log_tally_backfill set next_at = greatest(next_at, now() - interval '90 minutes');
     commit; begin; select from models.log_tally_backfill where next_at is not null for update`,
  );
  return async () => {
    await client.query('commit');
    client.release();
    while (await backfillLogTally(pool));
    await pool.end();
  };
}

/** Moves the tenant; `lines` has what is reported meanwhile. */
function startMove(cell: string): { readonly lines: string[]; readonly ended: Promise<{ status: number }> } {
  const lines: string[] = [];
  const capture = () => new PassThrough().on('data', (chunk) => lines.push(String(chunk)));
  const streams = {
    input: Readable.from([]),
    out: capture(),
    err: capture(),
    terminal: capture() as unknown as NodeJS.WriteStream,
  };
  const args = ['tenant', 'move', '--tenant', installation.tenantId, '--cell', cell, '--yes'];
  const run = async () => ({ status: await runCommand(args, () => installation.environment, streams) });
  return { lines, ended: run() };
}

async function expectRecounted(cell: string): Promise<void> {
  const client = new pg.Client(installation.superuserOf(cell));
  await client.connect();
  try {
    const days = await readActorDays(client, [installation.tenantId]);
    expect(days).toEqual(await recountActorDays(client, [installation.tenantId]));
    expect(days).not.toEqual([]);
  } finally {
    await client.end();
  }
}

const reports = (lines: readonly string[], text: string) => async () => lines.some((line) => line.includes(text));

test('a move waits while one of the cells counts older rows for a tally', async () => {
  const { tenantId, publish, query, awaitAllServed } = installation;
  await publish('default', tenantId, 100);
  await awaitAllServed();
  // As rows from before the tally.
  const continueSource = await beginBackfill('default', 'delete from models.actor_tally');
  const continueTarget = await beginBackfill('eu1');
  const { lines, ended } = startMove('eu1');
  await eventually(
    'it waits for the source',
    60_000,
    reports(lines, 'the source has counted older rows for actor_tally'),
  );
  await continueSource();
  await eventually(
    'it waits for the target',
    60_000,
    reports(lines, 'the target has counted older rows for actor_tally'),
  );
  expect(await query('eu1', 'select from models.audit_log where tenant_id = $1', [tenantId])).toEqual([]);
  await continueTarget();
  expect(await ended, lines.join('\n')).toEqual({ status: 0 });
  await expectRecounted('eu1');
  await awaitAllServed();
});

test('a backfill that begins while rows are copied stops the move before the switch', async () => {
  const { tenantId, query, awaitAllServed } = installation;
  const interrupted = startMove('default');
  await eventually('rows are copied', 60_000, reports(interrupted.lines, 'pass 1'));
  const continueTarget = await beginBackfill('default');
  expect(await interrupted.ended).toEqual({ status: 1 });
  expect(interrupted.lines.at(-1)).toContain('the target has counted older rows for actor_tally');
  expect(await query('eu1', 'select from models.tenant_move where tenant_id = $1', [tenantId])).toEqual([]);
  await awaitAllServed();
  await continueTarget();
  expect(await startMove('default').ended).toEqual({ status: 0 });
  await expectRecounted('default');
  await awaitAllServed();
});
