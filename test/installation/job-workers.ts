import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { type ProductProcess, startProcess } from './processes.ts';

/** Jobs processes on their own database, with a Redis that the test controls. */
export interface JobWorkers extends AsyncDisposable {
  readonly superuser: pg.Pool;
  readonly environment: Record<string, string>;
  readonly workers: readonly ProductProcess[];
  /** Starts another process. */
  start(extra?: Record<string, string>): Promise<ProductProcess>;
  /** Creates tenants connected this long ago, in these time zones in rotation. */
  createTenants(count: number, options: { connectedAgoMs: number; timeZones?: readonly string[] }): Promise<void>;
  /** Every week that is due for each tenant according to the database, and how many snapshots it has. */
  countSnapshots(options: { dueAfterMinutes: number }): Promise<SnapshotCounts>;
}

export interface SnapshotCounts {
  readonly due: number;
  readonly present: number;
  readonly missing: number;
  readonly duplicate: number;
  readonly unexpected: number;
  /** Snapshots whose predecessor is not the one taken before. */
  readonly unlinked: number;
}

export async function startJobWorkers(redisUrl: string, settings: Record<string, string> = {}): Promise<JobWorkers> {
  const database: TestDatabase = await createTestDatabase();
  const superuser = openTestPool(database.superuser);
  const environment = {
    TENANTSCOPE_ADMIN_DATABASE_URL: database.roles.admin,
    TENANTSCOPE_JOBS_DATABASE_URL: database.roles.jobs,
    TENANTSCOPE_REDIS_URL: redisUrl,
    TENANTSCOPE_JOBS_QUEUE_PREFIX: `test-${randomBytes(4).toString('hex')}`,
    ...settings,
  };
  const workers: ProductProcess[] = [];
  return {
    superuser,
    environment,
    workers,
    async start(extra = {}) {
      const worker = await startProcess('jobs', { ...environment, ...extra });
      workers.push(worker);
      return worker;
    },
    async createTenants(count, { connectedAgoMs, timeZones = ['UTC'] }) {
      await superuser.query(
        `insert into control.tenant (id, name, plan, digest, connected_at, time_zone)
         select gen_random_uuid(), 'Tenant ' || number, 'api', '\\x00', clock_timestamp() - $2 * interval '1 ms', ($3::text[])[1 + number % cardinality($3::text[])]
           from generate_series(1, $1) number`,
        [count, connectedAgoMs, timeZones],
      );
    },
    async countSnapshots({ dueAfterMinutes }) {
      const { rows } = await superuser.query<SnapshotCounts>(snapshotCountsQuery, [dueAfterMinutes]);
      if (!rows[0]) throw new Error('no snapshot counts returned');
      return rows[0];
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
      await superuser.end();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** PostgreSQL's own week arithmetic, to check the arithmetic of the product independently. */
const snapshotCountsQuery = `
  with week as (
    select t.id as tenant_id, t.connected_at, t.time_zone, date_trunc('week', now() at time zone t.time_zone) - back * interval '7 days' as monday
      from control.tenant t, generate_series(0, 4) back
  ), due as (
    select tenant_id, to_char(monday, 'IYYY-"W"IW') as period
      from week
     where (monday + interval '7 days') at time zone time_zone > connected_at
       and monday at time zone time_zone + $1 * interval '1 minute' <= now()
  ), present as (
    select tenant_id, period, count(*) as times from models.compliance_snapshot where trigger = 'scheduled' group by tenant_id, period
  ), link as (
    select previous_sha256, lag(sha256) over (partition by tenant_id order by taken_at, id) as before from models.compliance_snapshot
  )
  select count(o.period)::int as due, count(p.period) filter (where o.period is not null)::int as present,
         count(*) filter (where p.period is null)::int as missing, count(*) filter (where p.times > 1)::int as duplicate,
         count(*) filter (where o.period is null)::int as unexpected,
         (select count(*) from link where previous_sha256 is distinct from before)::int as unlinked
    from due o full join present p using (tenant_id, period)`;
