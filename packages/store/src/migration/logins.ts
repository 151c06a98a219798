import pg from 'pg';

export type RoleName = 'api' | 'keys' | 'ingest' | 'admin' | 'console' | 'jobs' | 'collect';

/**
 * Settings of each login. Ingest queries by key only, so a scan is never faster, and a planner without statistics of a new partition must not
 * choose one. The api never needs a sort: pages come in the order of an index; without statistics of a new partition the planner would sort
 * all rows of a tenant. A statement of the api runs on one core: with parallel workers, one tenant's documents take all of them from the pages of the
 * others (ADR 0010). Up to PostgreSQL 17 a disabled plan that has to be used costs ten thousand million more, which is above every threshold of JIT: each
 * statement that scans a table of ten rows was compiled, optimized and inlined first. Timeouts bound how long a hung transaction can hold back the watermark.
 */
const settings: Record<RoleName, Record<string, string>> = {
  api: {
    default_transaction_read_only: 'on',
    statement_timeout: '5s',
    idle_in_transaction_session_timeout: '5s',
    enable_sort: 'off',
    jit: 'off',
    max_parallel_workers_per_gather: '0',
  },
  keys: { statement_timeout: '2s', idle_in_transaction_session_timeout: '5s' },
  ingest: {
    statement_timeout: '15s',
    lock_timeout: '5s',
    idle_in_transaction_session_timeout: '5s',
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    jit: 'off',
  },
  admin: { statement_timeout: '30s', lock_timeout: '5s', idle_in_transaction_session_timeout: '30s' },
  console: { statement_timeout: '30s', lock_timeout: '5s', idle_in_transaction_session_timeout: '30s' },
  collect: { statement_timeout: '10s', lock_timeout: '5s', idle_in_transaction_session_timeout: '5s' },
  jobs: { default_transaction_read_only: 'on', statement_timeout: '60s', idle_in_transaction_session_timeout: '30s' },
};

/** Creates the logins that are missing, and sets the password and the settings of each. */
export async function createLogins(client: pg.Client, roles: Readonly<Record<RoleName, string>>): Promise<void> {
  for (const [name, url] of Object.entries(roles) as [RoleName, string][]) {
    const { username, password } = new URL(url);
    const role = decodeURIComponent(username);
    if (role !== `tenantscope_${name}`) {
      throw new Error(`The ${name} URL names the login ${role}; policies are written for tenantscope_${name}.`);
    }
    const secret = pg.escapeLiteral(decodeURIComponent(password));
    // Another database of this cluster may create the same login at the same time.
    await client.query(
      `do $$ begin
         if not exists (select from pg_roles where rolname = '${role}') then create role ${role} login; end if;
       exception when duplicate_object or unique_violation then null; end $$`,
    );
    await retryConcurrentUpdate(() => client.query(`alter role ${role} login password ${secret}`));
    for (const [setting, value] of Object.entries(settings[name])) {
      await retryConcurrentUpdate(() => client.query(`alter role ${role} set ${setting} = '${value}'`));
    }
  }
}

/** Roles are shared by all databases of a cluster: two migrations that alter one at the same time fail with "tuple concurrently updated". */
async function retryConcurrentUpdate(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (attempt === 5 || !/tuple concurrently/.test((error as Error).message)) throw error;
    }
  }
}
