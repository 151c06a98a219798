import { type LocalServices, startTemporaryServices } from '@tenantscope/local';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import type { ProductProcess } from '../installation/processes.ts';
import { startConsoleProcess } from '../observability/console-process.ts';
import { type Prometheus, startPrometheus } from '../observability/prometheus.ts';
import { resumeReplay, startStandbyServer } from '../services/standby-server.ts';
import { sleep } from './pollers.ts';
import { isLong } from './random.ts';

// Faults of PostgreSQL and of what is in it: each is caused in running processes; Prometheus scrapes them and evaluates the rules.

const snapshotSettings = {
  TENANTSCOPE_SNAPSHOT_DUE_MINUTES: '0',
  TENANTSCOPE_SNAPSHOT_SPREAD_MINUTES: '0',
  TENANTSCOPE_JOBS_RECONCILE_SECONDS: '1',
};

describe.runIf(isLong)('alerts of the database', { tags: ['torture'] }, () => {
  const stack = new AsyncDisposableStack();
  let services: LocalServices<'postgres'>;
  let installation: Installation;
  let prometheus: Prometheus;
  let superuser: pg.Pool;
  let api: ProductProcess & { baseUrl: string };
  let jobs: ProductProcess;
  let consoleUrl: string;
  let tenant: { id: string; secret: string };

  beforeAll(async () => {
    services = stack.use(await startTemporaryServices({ only: ['postgres'] }));
    prometheus = stack.use(await startPrometheus());
    installation = stack.use(await startInstallation({ ...inject('services'), postgres: services.postgres }));
    superuser = new pg.Pool({ connectionString: installation.database.superuser, max: 2 });
    superuser.on('error', () => {});
    stack.defer(() => superuser.end());
    tenant = await installation.createTenant();
    const [ingest, started, console] = await Promise.all([
      installation.startIngest(),
      installation.startJobs(snapshotSettings),
      startConsoleProcess(installation.environment),
    ]);
    jobs = started;
    api = await installation.startApi();
    stack.use(console);
    consoleUrl = console.url;
    for (const [name, { healthPort }] of Object.entries({ ingest, jobs, api, console }))
      await prometheus.scrape(name, healthPort);
    await prometheus.expectEnd(
      'TenantscopeIngestDown',
      'TenantscopeJobsDown',
      'TenantscopeApiDown',
      'TenantscopeConsoleDown',
    );
  }, 300_000);
  afterAll(() => stack.disposeAsync(), 60_000);

  const list = async (parameters = ''): Promise<number> => {
    const response = await fetch(`${api.baseUrl}/logs${parameters}`, {
      headers: { authorization: `Bearer ${tenant.secret}` },
    });
    await response.arrayBuffer();
    return response.status;
  };

  /** A request that reads the session in the database. */
  const openConsole = async (): Promise<number> => {
    const response = await fetch(`${consoleUrl}/console/api/me`, { headers: { cookie: `sid=${'x'.repeat(43)}` } });
    await response.arrayBuffer();
    return response.status;
  };

  /** Locks the table while an action runs. */
  async function whileLocked(table: string, durationMs: number): Promise<void> {
    const client = await superuser.connect();
    try {
      await client.query(`begin; lock table ${table} in access exclusive mode`);
      await sleep(durationMs);
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  test('lists that wait for a lock fire the alert of slow lists, and more than may wait fire that of refused requests', async () => {
    expect(await list()).toBe(200);
    // Scraped before and after: the rate of a series is known from its second sample.
    await sleep(3_000);
    const locked = whileLocked('models.audit_log', 3_000);
    await sleep(200);
    const statuses = await Promise.all(Array.from({ length: 150 }, () => list()));
    await locked;
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    await prometheus.expectFiring('TenantscopeSlowLists', 'TenantscopeRequestsRefused');
  }, 300_000);

  test('a standby that stops replaying is not read, and the alert ends when it has caught up', async () => {
    const server = stack.use(await startStandbyServer(services.postgresService));
    const onStandby = (url: string) => Object.assign(new URL(url), { port: new URL(server.postgres).port }).href;
    await using replicated = await installation.startApi({
      TENANTSCOPE_POSTGRES_READ_URLS: onStandby(installation.database.roles.api),
    });
    await using standby = Object.assign(new pg.Client(onStandby(installation.database.superuser)), {
      [Symbol.asyncDispose]: () => standby.end(),
    });
    await standby.connect();
    await prometheus.scrape('api-with-replica', replicated.healthPort);
    await standby.query('select pg_wal_replay_pause()');
    await prometheus.expectFiring('TenantscopeReplicaNotUsed');
    await resumeReplay(standby);
    await prometheus.expectEnd('TenantscopeReplicaNotUsed');
  }, 300_000);

  test('a primary whose commits wait for no standby fires the alert of an unprotected failover', async () => {
    await using unprotected = await installation.startApi({
      TENANTSCOPE_STANDBY_DATABASE_URLS: installation.database.roles.api,
      TENANTSCOPE_STANDBY_NAMES: 'pg-2',
    });
    await prometheus.scrape('api-without-standby', unprotected.healthPort);
    await prometheus.expectFiring('TenantscopeFailoverUnprotected');
    expect(JSON.stringify(await installation.cli('status'))).toContain('commits wait for no standby');
  }, 300_000);

  test('a snapshot that cannot be written fires the alerts of failures and of overdue snapshots', async () => {
    await superuser.query(
      `create function pg_temp_refuse() returns trigger language plpgsql as $$ begin raise exception 'no space left on device'; end $$;
       create trigger refuse before insert on models.compliance_snapshot for each row execute function pg_temp_refuse()`,
    );
    await superuser.query(`update control.tenant set connected_at = now() - interval '20 days' where id = $1`, [
      tenant.id,
    ]);
    await prometheus.expectFiring('TenantscopeSnapshotFailures', 'TenantscopeSnapshotOverdue');
    await superuser.query('drop trigger refuse on models.compliance_snapshot');
    await prometheus.expectEnd('TenantscopeSnapshotOverdue');
  }, 600_000);

  test('a receipt that cannot be written fires the alert of late receipts, which ends when it is', async () => {
    await superuser.query(
      `create table models.audit_log_past partition of models.audit_log for values from (now() - interval '40 days') to (now() - interval '30 days');
       insert into models.audit_log_partition values ('audit_log_past', now() - interval '40 days', now() - interval '30 days');
       create function models.refuse_receipt() returns trigger language plpgsql as $$ begin raise exception 'no space left on device'; end $$;
       create trigger refuse before insert on models.log_receipt for each row execute function models.refuse_receipt()`,
    );
    await superuser.query(
      `insert into models.audit_log (tenant_id, discovered_at, id, occurred_at, action, normaliser_version, member_lines)
       values ($1, now() - interval '35 days', gen_random_uuid(), now() - interval '35 days', 'read', 1, '"Read"')`,
      [tenant.id],
    );
    // A process that found no row of a tenant looks for one on the next day.
    jobs.kill('SIGKILL');
    jobs = await installation.startJobs(snapshotSettings);
    await prometheus.scrape('jobs', jobs.healthPort);
    await prometheus.expectFiring('TenantscopeReceiptsLate');
    await superuser.query('drop trigger refuse on models.log_receipt');
    await prometheus.expectEnd('TenantscopeReceiptsLate');
    // Ingest has no rights to the partition, whose rows are in no block.
    await superuser.query(
      `delete from models.audit_log_partition where name = 'audit_log_past';
       alter table models.audit_log detach partition models.audit_log_past;
       drop table models.audit_log_past`,
    );
  }, 600_000);

  test('a partition whose rows cannot be sealed fires its alert, which ends when they are', async () => {
    await installation.publisher.send(installation.activityTopic, [activityMessage(tenant.id, activityRecord(9_999))]);
    await eventually('the row is stored', 60_000, async () => (await countLogRows()) === 1);
    await superuser.query(
      `create table models.audit_log_past partition of models.audit_log for values from (now() - interval '40 days') to (now() - interval '30 days');
       insert into models.audit_log_partition values ('audit_log_past', now() - interval '40 days', now() - interval '30 days');
       grant select on models.audit_log_past to tenantscope_ingest;
       do $$ begin
         execute format('alter table models.audit_log_past owner to %I', (select tableowner from pg_tables where schemaname = 'models' and tablename = 'audit_log'));
       end $$;
       create function models.refuse_sealing() returns trigger language plpgsql as $$ begin raise exception 'no space left on device'; end $$;
       create trigger refuse before insert on models.log_sealed for each row execute function models.refuse_sealing()`,
    );
    await superuser.query(
      `insert into models.audit_log (tenant_id, discovered_at, id, occurred_at, action, normaliser_version, member_lines)
       values ($1, now() - interval '35 days', gen_random_uuid(), now() - interval '35 days', 'read', 1, '"Read"')`,
      [tenant.id],
    );
    await prometheus.expectFiring('TenantscopeLogSealLate');
    expect(await countLogRows()).toBe(2);
    await superuser.query('drop trigger refuse on models.log_sealed');
    await prometheus.expectEnd('TenantscopeLogSealLate');
    expect(await countLogRows()).toBe(1);
  }, 600_000);

  /** Of those that are not sealed. */
  const countLogRows = async (): Promise<number> => {
    const { rows } = await superuser.query<{ rows: number }>(
      'select count(*)::integer as rows from models.audit_log where tenant_id = $1',
      [tenant.id],
    );
    return rows[0]?.rows ?? 0;
  };

  test('blocks that cannot be written fire the alert of their backlog, which ends when they are', async () => {
    await superuser.query(
      `create function models.refuse_block() returns trigger language plpgsql as $$ begin raise exception 'no space left on device'; end $$;
       create trigger refuse before insert on models.log_block for each row execute function models.refuse_block()`,
    );
    // A block has 256 rows.
    const messages = Array.from({ length: 300 }, (_, record) =>
      activityMessage(tenant.id, activityRecord(10_000 + record)),
    );
    await installation.publisher.send(installation.activityTopic, messages);
    const progress = `from models.source_progress where tenant_id = $1 and source = 'logs'`;
    await eventually('the rows are stored', 60_000, async () => {
      const { rows } = await superuser.query(`select sum(row_count)::integer as rows ${progress}`, [tenant.id]);
      return rows[0].rows >= 300;
    });
    // As if a million more had come meanwhile: the backlog is the rows that ingest has counted, less those in blocks.
    await superuser.query(
      `update models.source_progress set row_count = row_count + 1000000 where ctid = (select ctid ${progress} limit 1)`,
      [tenant.id],
    );
    await prometheus.expectFiring('TenantscopeLogBlockBacklog');
    await superuser.query('drop trigger refuse on models.log_block');
    await prometheus.expectEnd('TenantscopeLogBlockBacklog');
  }, 300_000);

  test('a clock that jumped by more than a day fires its alert until it has run on for a day', async () => {
    await superuser.query(`update models.retention_clock set seen_at = seen_at - interval '2 days'`);
    await prometheus.expectFiring('TenantscopeRetentionPaused');
    await superuser.query(`update models.retention_clock set jumped_at = jumped_at - interval '1 day'`);
    await prometheus.expectEnd('TenantscopeRetentionPaused');
  }, 300_000);

  test('partitions that are not created in time fire their alert, and ingest is not ready', async () => {
    // As after weeks in which none was created: the partition of today is the last, on every day of the week.
    await superuser.query(
      `create or replace function models.maintain_log_partitions(ahead_days integer default 28) returns integer language sql as 'select 3';
       delete from models.audit_log_partition where to_at > now() + interval '7 days'`,
    );
    await prometheus.expectFiring('TenantscopeLogPartitionsMissing', 'TenantscopeProcessNotReady');
  }, 600_000);

  test('an outage of PostgreSQL fires the alerts of server errors, of the console, of retries and of processes', async () => {
    expect(await openConsole()).toBe(401);
    await services.postgresService.stop();
    const alerts = [
      'TenantscopeServerErrors',
      'TenantscopeConsoleErrors',
      'TenantscopeDatabaseRetries',
      'TenantscopeProcessNotReady',
    ];
    let isOver = false;
    const traffic = async () => {
      for (let record = 1; !isOver; record += 1) {
        const message = activityMessage(tenant.id, activityRecord(record));
        const requests = [list(), openConsole()];
        await Promise.allSettled([...requests, installation.publisher.publish(installation.activityTopic, [message])]);
        await sleep(500);
      }
    };
    const running = traffic();
    try {
      await prometheus.expectFiring(...alerts);
    } finally {
      isOver = true;
      await running;
      await services.postgresService.restart();
    }
    await eventually('lists are served', 60_000, async () => (await list()) === 200);
  }, 600_000);

  test('stamps that are ahead of a clock that was set back fire their alert', async () => {
    // As a clock that was ahead by an hour has left it. Last: stamps never decrease.
    await superuser.query(`update models.lane_clock set settled_at = settled_at + interval '1 hour'`);
    await prometheus.expectFiring('TenantscopeStampsAheadOfClock');
    expect(await list()).toBe(200);
  }, 300_000);
});
