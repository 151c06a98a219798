// @module-tag torture
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { type Prometheus, startPrometheus } from '../observability/prometheus.ts';

// Faults of the ledger, caused in a running process; Prometheus scrapes it and evaluates the rules.

const stack = new AsyncDisposableStack();
let installation: Installation;
let prometheus: Prometheus;
let superuser: pg.Client;

beforeAll(async () => {
  prometheus = stack.use(await startPrometheus());
  installation = stack.use(await startInstallation());
  superuser = new pg.Client(installation.database.superuser);
  await superuser.connect();
  stack.defer(() => superuser.end());
  const { healthPort } = await installation.startIngest();
  await prometheus.scrape('ingest', healthPort);
}, 300_000);
afterAll(() => stack.disposeAsync(), 60_000);

const countPending = async () =>
  (await superuser.query('select from control.ledger_entry where topic_offset is null')).rowCount;

test('changes that are not published fire the alert of the ledger until they are', async () => {
  // As a process that hangs while it publishes.
  await superuser.query(`select pg_advisory_lock(hashtext('tenantscope.ledger'))`);
  await installation.admin.organizations.create({ name: 'Larkspur' });
  await prometheus.expectFiring('TenantscopeLedgerBehind');
  expect(await countPending()).toBeGreaterThan(0);
  await superuser.query(`select pg_advisory_unlock(hashtext('tenantscope.ledger'))`);
  await prometheus.expectEnd('TenantscopeLedgerBehind');
  expect(await countPending()).toBe(0);
}, 300_000);

test('a database that was put back on the same server fires the alert of restores until it is finished', async () => {
  await eventually('the ledger is published', 30_000, async () => (await countPending()) === 0);
  await superuser.query(
    `begin; set local session_replication_role = replica;
     delete from control.ledger_entry where number = (select max(number) from control.ledger_entry);
     update control.ledger_position set compared_to = (select max(topic_offset) + 1 from control.ledger_entry);
     delete from control.organization; commit`,
  );
  await prometheus.expectFiring('TenantscopeRestoreUnfinished');
  expect(await installation.cli('restore', 'finish')).toMatchObject({
    finished: true,
    applied: { 'control.organization': 1 },
  });
  expect((await superuser.query('select name from control.organization')).rows).toEqual([{ name: 'Larkspur' }]);
  await prometheus.expectEnd('TenantscopeRestoreUnfinished');
}, 300_000);
