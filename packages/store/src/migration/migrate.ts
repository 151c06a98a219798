import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { applyStep, migrationTable, StepFailed } from './apply-step.ts';
import { listObstacles, type MigrationClients } from './contract-conditions.ts';
import { createLogins, type RoleName } from './logins.ts';
import { migrationFolder, readSteps, type Schema, type Step } from './migration-files.ts';
import { compareSteps, type MigrationPlan, type PlannedStep, planSteps, type Target } from './migration-plan.ts';
import { connectOwner } from './owner-connection.ts';

const lockPollMs = 250;

export interface MigrateOptions {
  /** URL of tenantscope_owner (or another role that may create roles and owns the database). */
  owner: string;
  /** The control database's owner, where control tables have a database of their own. */
  controlOwner?: string;
  /** URLs whose user and password become the logins. */
  roles: Record<RoleName, string>;
  /** Of another version's migrations. */
  folder?: string;
}

export interface Migrated {
  readonly applied: readonly string[];
  /** Contract steps that could not be applied yet, which is no failure: the next call applies them. */
  readonly postponed: readonly { readonly name: string; readonly obstacles: readonly string[] }[];
}

/** A migration that was refused or failed. The message names the step, what was changed, and what to do. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

/**
 * Upgrades the databases to this version: logins, schemas, and migrations in the order of their names, each in a transaction, under a lock that serializes
 * concurrent calls. Contract steps at the end wait for a later call while older processes run or a backfill is unfinished. Throws MigrationError before anything is
 * changed where an applied migration was changed afterwards, where the database is of a newer version, and where an expand step follows a contract step that cannot be
 * applied yet; and for a step that fails, which changes nothing.
 */
export async function migrate(options: MigrateOptions): Promise<Migrated> {
  await using opened = await openTargets(options);
  const { targets, clients } = opened;
  for (const { client } of targets) await waitForLock(client);
  refuse(await planSteps(targets, clients));
  const applied: string[] = [];
  const postponed: { name: string; obstacles: string[] }[] = [];
  for (const target of targets) {
    const { client, schemas } = target;
    await createLogins(client, options.roles);
    for (const schema of schemas) await client.query(`create schema if not exists ${schema}`);
    await client.query(
      `create table if not exists ${migrationTable(schemas)} (name text primary key, sha256 text not null, applied_at timestamptz not null default now())`,
    );
    const { pending } = await compareSteps(target);
    let waiting: string | null = null;
    for (const step of pending) {
      // Again: a step of this call may have begun a backfill.
      const obstacles = await listObstacles(step, clients, waiting);
      if (obstacles.length === 0) await applyOrReport(target, step, applied);
      else if (step.phase === 'expand') throw new MigrationError(describeStop({ name: step.name, obstacles }, applied));
      else {
        waiting ??= step.name;
        postponed.push({ name: step.name, obstacles });
      }
    }
  }
  return { applied, postponed };
}

/**
 * Serializes migrations of a database until the connection ends. By polling: a statement that waits for the lock has a snapshot, for whose end `create index
 * concurrently` of the migration that has the lock would wait, a deadlock.
 */
async function waitForLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ isLocked: boolean }>(
      `select pg_try_advisory_lock(hashtext('tenantscope.migrate')) as "isLocked"`,
    );
    if (rows[0]?.isLocked) return;
    await sleep(lockPollMs);
  }
}

/** What `migrate` would do now. Changes nothing. */
export async function planMigration(options: MigrateOptions): Promise<MigrationPlan> {
  await using opened = await openTargets(options);
  return await planSteps(opened.targets, opened.clients);
}

async function openTargets({ owner, controlOwner = owner, folder = migrationFolder }: MigrateOptions) {
  await using stack = new AsyncDisposableStack();
  const connect = async (url: string): Promise<pg.Client> => {
    const client = await connectOwner(url);
    stack.defer(() => client.end());
    return client;
  };
  const open = async (client: pg.Client, schemas: readonly Schema[]): Promise<Target> => ({
    client,
    schemas,
    steps: await readSteps(folder, schemas),
  });
  const control = await connect(controlOwner);
  const isOne = controlOwner === owner;
  const models = isOne ? control : await connect(owner);
  const targets = isOne
    ? [await open(control, ['control', 'models'])]
    : [await open(control, ['control']), await open(models, ['models'])];
  const clients: MigrationClients = { control, models };
  const opened = stack.move();
  return { targets, clients, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function refuse({ pending, changed, unknown }: MigrationPlan): void {
  if (changed.length > 0)
    throw new MigrationError(
      `Migrations were changed after they were applied: ${changed.join(', ')}. Nothing was changed. Restore their files and write the change as a new migration.`,
    );
  if (unknown.length > 0)
    throw new MigrationError(
      `The database is of a newer version, with migrations that this version does not have: ${unknown.join(', ')}. Nothing was changed. Run "tenantscope migrate" of the newer version; to go back to this version, start its processes without migrating.`,
    );
  const stopped = pending.find(({ phase, obstacles }) => phase === 'expand' && obstacles.length > 0);
  if (stopped !== undefined) throw new MigrationError(describeStop(stopped, []));
}

async function applyOrReport({ client, schemas }: Target, step: Step, applied: string[]): Promise<void> {
  await applyStep(client, migrationTable(schemas), step).catch((error: unknown) => {
    if (!(error instanceof StepFailed)) throw error;
    throw new MigrationError(
      `The migration ${step.name} failed and changed nothing: ${error.message}. ${describeApplied(applied)} Start the processes of the previous version again, or leave them running; after the cause is removed, run "tenantscope migrate" again.`,
      { cause: error.cause },
    );
  });
  applied.push(step.name);
}

function describeStop(
  { name, obstacles }: Pick<PlannedStep, 'name' | 'obstacles'>,
  applied: readonly string[],
): string {
  return `The migration ${name} cannot be applied yet: ${obstacles.join('; ')}. ${describeApplied(applied)} Upgrade to the version in between first, or stop all processes and wait a minute; then run "tenantscope migrate" again.`;
}

function describeApplied(applied: readonly string[]): string {
  if (applied.length === 0) return 'No step was applied.';
  return `Steps applied before it, on which the previous version runs: ${applied.join(', ')}.`;
}
