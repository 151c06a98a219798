// @module-tag torture
import { type LocalServices, startTemporaryServices } from '@tenantscope/local';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { startInstallation } from '../installation/installation.ts';
import { nothingLost } from '../installation/record-flow.ts';
import { startStandbyServer } from '../services/standby-server.ts';
import { openSwitchedProxy } from '../services/switched-proxy.ts';
import { pollDuring } from './failover-run.ts';
import { sleep } from './pollers.ts';
import { createRandom } from './random.ts';

// What an epoch prevents, without the bound of pages by standbys: a server is promoted at once that lacks the last commits, and whose clock is behind that of
// the lost one. Patroni promotes seconds later, when a clock has caught up; so this is the run without it.

const random = createRandom('epoch');

/** A primary whose lanes are ahead of its clock, as they are by a clock that is ahead; a standby without its last commits is promoted. */
async function loseCommits({ hasEpoch }: { readonly hasEpoch: boolean }) {
  await using stack = new AsyncDisposableStack();
  const primary = stack.use(await startTemporaryServices({ only: ['postgres'] }));
  const standby = stack.use(await startStandbyServer(primary.postgresService));
  const proxy = stack.use(await openSwitchedProxy(primary.postgres));
  const installation = stack.use(await startInstallation({ ...inject('services'), postgres: proxy.url }));
  const { superuser } = installation.database;
  const connectTo = async (server: LocalServices<'postgres'>) => {
    const client = new pg.Client(Object.assign(new URL(superuser), { port: new URL(server.postgres).port }).href);
    client.on('error', () => {});
    await client.connect();
    stack.defer(() => client.end().catch(() => {}));
    return client;
  };
  const [onPrimary, onStandby] = [await connectTo(primary), await connectTo(standby)];
  if (!hasEpoch) await removeLifting(onPrimary);
  await installation.startIngest();
  const api = await installation.startApi();
  return await pollDuring(installation, [api.baseUrl], async () => {
    await onStandby.query(`alter system set primary_conninfo = ''`);
    await onStandby.query('select pg_reload_conf()');
    await eventually('the standby receives nothing', 30_000, async () => {
      return (await onStandby.query('select from pg_stat_wal_receiver')).rowCount === 0;
    });
    const aheadMs = random.between(4_000, 4_800);
    for (const untilMs = performance.now() + random.between(800, 1_500); performance.now() < untilMs; await sleep(50))
      await setLanesAhead(onPrimary, aheadMs);
    await primary.postgresService.kill();
    await onStandby.query('select pg_promote()');
    proxy.switchTo(standby.postgres);
    // Records arrive until their stamps have passed what was served of the lost server.
    const passedAt = new Date(Date.now() + aheadMs);
    await eventually('rows have later stamps', 60_000, async () => {
      const { rows } = await onStandby.query<{ is: boolean }>(
        'select max(discovered_at) > $1 as is from models.audit_log',
        [passedAt],
      );
      return rows[0]?.is === true;
    });
  });
}

/** Less than an epoch lifts lanes. */
async function setLanesAhead(client: pg.Client, aheadMs: number): Promise<void> {
  for (const table of ['ingest_lane', 'lane_clock'])
    await client.query(
      `update models.${table} set settled_at = greatest(settled_at, date_trunc('milliseconds', clock_timestamp() + $1 * interval '1 ms'))`,
      [aheadMs],
    );
}

/** Epochs are opened, and lanes continue where the promoted server has them. */
async function removeLifting(client: pg.Client): Promise<void> {
  for (const schema of ['models', 'control']) {
    const { rows } = await client.query<{ text: string }>(
      `select pg_get_functiondef('${schema}.begin_epoch'::regproc) as text`,
    );
    const text = rows[0]?.text ?? '';
    const changed = text.replace(/ if exists \(select from \w+\.ingest_epoch\) then.*?end if;/s, '');
    expect(changed).not.toBe(text);
    await client.query(changed);
  }
}

test('no row is missed after a promotion, whose epoch lifts lanes above all that was served', async () => {
  const { flow, judged } = await loseCommits({ hasEpoch: true });
  expect(flow).toEqual(nothingLost);
  const missed = { missed: 0 };
  expect(judged[0]).toMatchObject({ missedInWindows: 0, missedByCursor: 0, ndjson: missed, tools: missed });
}, 300_000);

test('without the lifting of lanes rows are missed', async () => {
  let missed = 0;
  // A busy machine may promote so late that the clock has caught up.
  for (let attempt = 1; attempt <= 3 && missed === 0; attempt++) {
    const { flow, judged } = await loseCommits({ hasEpoch: false });
    expect(flow).toEqual(nothingLost);
    missed = judged[0]?.missedByCursor ?? 0;
  }
  expect(missed).toBeGreaterThan(0);
}, 600_000);
