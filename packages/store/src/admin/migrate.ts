import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { parseDatabaseUrl } from '../connection/database-url.ts';

const folder = new URL('../../../../migrations/', import.meta.url);
const schemas = ['control', 'models'] as const;
type Schema = (typeof schemas)[number];

export type RoleName = 'api' | 'keys' | 'ingest' | 'admin' | 'console' | 'jobs' | 'collect';

export interface MigrateOptions {
  /** URL of tenantscope_owner (or another role that may create roles and owns the database). */
  owner: string;
  /** The control database's owner, where control tables have a database of their own. */
  controlOwner?: string;
  /** URLs whose user and password become the logins. */
  roles: Record<RoleName, string>;
}

/**
 * Settings of each login. Ingest queries by key only, so a scan is never faster, and a planner without statistics of a new partition must not
 * choose one. The api never needs a sort: pages come in the order of an index; without statistics of a new partition the planner would sort
 * all rows of a tenant. A statement of the api runs on one core: with parallel workers, one tenant's documents take all of them from the pages of the
 * others (ADR 0010). Timeouts bound how long a hung transaction can hold back the watermark.
 */
const settings: Record<RoleName, Record<string, string>> = {
  api: {
    default_transaction_read_only: 'on',
    statement_timeout: '5s',
    idle_in_transaction_session_timeout: '5s',
    enable_sort: 'off',
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
  },
  admin: { statement_timeout: '30s', lock_timeout: '5s', idle_in_transaction_session_timeout: '30s' },
  console: { statement_timeout: '30s', lock_timeout: '5s', idle_in_transaction_session_timeout: '30s' },
  collect: { statement_timeout: '10s', lock_timeout: '5s', idle_in_transaction_session_timeout: '5s' },
  jobs: { default_transaction_read_only: 'on', statement_timeout: '60s', idle_in_transaction_session_timeout: '30s' },
};

/**
 * Upgrades the databases to this version: logins, schemas, and migrations in the order of their names, each in a transaction, under a lock
 * that serializes concurrent calls. Throws when an applied migration was changed afterwards.
 */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const targets: { url: string; schemas: Schema[] }[] =
    options.controlOwner && options.controlOwner !== options.owner
      ? [
          { url: options.controlOwner, schemas: ['control'] },
          { url: options.owner, schemas: ['models'] },
        ]
      : [{ url: options.owner, schemas: [...schemas] }];
  const applied: string[] = [];
  for (const target of targets) applied.push(...(await migrateDatabase(target.url, target.schemas, options.roles)));
  return { applied };
}

async function migrateDatabase(
  url: string,
  input: readonly Schema[],
  roles: MigrateOptions['roles'],
): Promise<string[]> {
  const { connectionString, ssl } = parseDatabaseUrl(url);
  const client = new pg.Client({
    connectionString,
    ssl,
    application_name: 'tenantscope migrate',
    connectionTimeoutMillis: 5_000,
  });
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(hashtext('tenantscope.migrate'))`);
    await createLogins(client, roles);
    for (const schema of input) await client.query(`create schema if not exists ${schema}`);
    await client.query(
      `create table if not exists ${input[0]}.migration (name text primary key, sha256 text not null, applied_at timestamptz not null default now())`,
    );
    const applied: string[] = [];
    for (const step of await readSteps(input)) {
      const { rows } = await client.query<{ sha256: string }>(
        `select sha256 from ${input[0]}.migration where name = $1`,
        [step.name],
      );
      if (rows[0]) {
        if (rows[0].sha256 === step.sha256) continue;
        throw new Error(
          `The migration ${step.name} was changed after it was applied. Restore it and write the change as a new migration.`,
        );
      }
      await applyStep(client, `${input[0]}.migration`, step);
      applied.push(step.name);
    }
    return applied;
  } finally {
    await client.end();
  }
}

interface Step {
  name: string;
  sha256: string;
  sql: string;
}

/**
 * The first line of a file names its schemas; a file for two schemas is two steps. The schema `audit` is the one that has the audit log:
 * control, or models in a database of its own, which cannot reach control.
 */
async function readSteps(input: readonly Schema[]): Promise<Step[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort();
  const steps = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8');
      const declared = /^-- schemas: (.+)$/m.exec(text)?.[1]?.split(', ') ?? [];
      return declared
        .filter((schema) => schema === 'audit' || input.includes(schema as Schema))
        .map((schema) => {
          const sql = text.replaceAll(':schema', schema).replaceAll(':audit', String(input[0]));
          return {
            name: `${name.replace(/\.sql$/, '')} ${schema}`,
            sha256: createHash('sha256').update(sql).digest('hex'),
            sql,
          };
        });
    }),
  );
  return steps.flat();
}

async function applyStep(client: pg.Client, table: string, step: Step): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = '3s'`);
    await client.query(step.sql);
    await client.query(`insert into ${table} (name, sha256) values ($1, $2)`, [step.name, step.sha256]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`The migration ${step.name} failed and changed nothing: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function createLogins(client: pg.Client, roles: MigrateOptions['roles']): Promise<void> {
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
