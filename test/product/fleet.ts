import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type TestDatabase, testDatabase } from '../services/database.ts';
import { type ProductProcess, startProcess } from './processes.ts';

/** Processes that keep appointments, on a database of their own and a Redis that the test may treat as it likes. */
export interface Fleet extends AsyncDisposable {
  readonly superuser: pg.Pool;
  readonly environment: Record<string, string>;
  readonly workers: readonly ProductProcess[];
  /** One process more. */
  start(extra?: Record<string, string>): Promise<ProductProcess>;
  /** Makes tenants that were connected so long ago, in these zones by turns. */
  tenants(count: number, options: { connectedAgoMs: number; timeZones?: readonly string[] }): Promise<void>;
  /** Every week each tenant owes by now as the database itself computes it, and how often it is there. */
  ledger(options: { dueAfterMinutes: number }): Promise<Ledger>;
}

export interface Ledger {
  readonly owed: number;
  readonly present: number;
  readonly missing: number;
  readonly twice: number;
  readonly strange: number;
  /** Snapshots whose predecessor is not the one taken before. */
  readonly unlinked: number;
}

export async function fleet(redisUrl: string, settings: Record<string, string> = {}): Promise<Fleet> {
  const database: TestDatabase = await testDatabase();
  const superuser = new pg.Pool({ connectionString: database.superuser, max: 2 });
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
    async tenants(count, { connectedAgoMs, timeZones = ['UTC'] }) {
      await superuser.query(
        `insert into control.tenant (id, name, plan, digest, connected_at, time_zone)
         select gen_random_uuid(), 'Tenant ' || number, 'api', '\\x00', clock_timestamp() - $2 * interval '1 ms', ($3::text[])[1 + number % cardinality($3::text[])]
           from generate_series(1, $1) number`,
        [count, connectedAgoMs, timeZones],
      );
    },
    async ledger({ dueAfterMinutes }) {
      const { rows } = await superuser.query<Ledger>(ledger, [dueAfterMinutes]);
      if (!rows[0]) throw new Error('the ledger was not told');
      return rows[0];
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
      await superuser.end();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** PostgreSQL's own weeks: what the product computes is held against another's arithmetic. */
const ledger = `
  with week as (
    select t.id as tenant_id, t.connected_at, t.time_zone, date_trunc('week', now() at time zone t.time_zone) - back * interval '7 days' as monday
      from control.tenant t, generate_series(0, 4) back
  ), owed as (
    select tenant_id, to_char(monday, 'IYYY-"W"IW') as period
      from week
     where (monday + interval '7 days') at time zone time_zone > connected_at
       and monday at time zone time_zone + $1 * interval '1 minute' <= now()
  ), present as (
    select tenant_id, period, count(*) as times from models.compliance_snapshot where trigger = 'scheduled' group by tenant_id, period
  ), link as (
    select previous_sha256, lag(sha256) over (partition by tenant_id order by taken_at, id) as before from models.compliance_snapshot
  )
  select count(o.period)::int as owed, count(p.period) filter (where o.period is not null)::int as present,
         count(*) filter (where p.period is null)::int as missing, count(*) filter (where p.times > 1)::int as twice,
         count(*) filter (where o.period is null)::int as strange,
         (select count(*) from link where previous_sha256 is distinct from before)::int as unlinked
    from owed o full join present p using (tenant_id, period)`;
