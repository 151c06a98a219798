import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { type ProductProcess, startProcess } from '../installation/processes.ts';

// A database that responds, but refuses what a process reads. Nothing is done then, and no counter of failures rises.

const stack = new AsyncDisposableStack();
let installation: Installation;
let superuser: pg.Client;

beforeAll(async () => {
  installation = stack.use(await startInstallation());
  superuser = new pg.Client(installation.database.superuser);
  await superuser.connect();
  stack.defer(() => superuser.end());
}, 120_000);
afterAll(() => stack.disposeAsync(), 60_000);

async function expectUnready(running: ProductProcess, table: string, login: string, reason: RegExp): Promise<void> {
  const { rows } = await superuser.query<{ grant: string }>(
    `select format('grant %s (%I) on %s to %I', privilege_type, column_name, $1::text, grantee) as grant
       from information_schema.column_privileges where grantee = $2 and table_schema || '.' || table_name = $1`,
    [table, login],
  );
  await superuser.query(`revoke all on ${table} from ${login}`);
  await eventually('it is not ready', 90_000, async () => !(await running.ready()));
  const get = (path: string) => fetch(`http://127.0.0.1:${running.healthPort}${path}`);
  expect(await (await get('/readyz')).json()).toEqual({ status: 'failing', reason: expect.stringMatching(reason) });
  expect((await get('/livez')).status).toBe(200);
  await superuser.query(rows.map(({ grant }) => grant).join(';'));
  await eventually('it is ready', 30_000, running.ready);
}

test('jobs that cannot read which snapshots are due are not ready', async () => {
  await using jobs = await installation.startJobs({ TENANTSCOPE_JOBS_RECONCILE_SECONDS: '1' });
  await expectUnready(jobs, 'control.tenant', 'tenantscope_jobs', /^due snapshots were not read for \d+ s$/);
}, 180_000);

test('a collecting process that cannot read which streams are due is not ready', async () => {
  await using collecting = await startProcess('collect', installation.environment);
  await expectUnready(
    collecting,
    'control.collector_stream',
    'tenantscope_collect',
    /^due streams were not read for \d+ s$/,
  );
}, 180_000);
