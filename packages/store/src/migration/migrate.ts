import { setTimeout as sleep } from 'node:timers/promises';
import { nameCellVariable } from '@tenantscope/runtime';
import type pg from 'pg';
import { StoreUnavailable } from '../connection/errors.ts';
import { applyStep, migrationTable, StepFailed } from './apply-step.ts';
import {
  type CellRow,
  createCell,
  findCellProblem,
  findPrefixProblem,
  readCells,
  readOwnCell,
  recordCell,
} from './cell-database.ts';
import { listObstacles, type MigrationClients } from './contract-conditions.ts';
import { createLogins, type RoleName } from './logins.ts';
import { migrationFolder, readSteps, type Schema, type Step } from './migration-files.ts';
import {
  compareSteps,
  type MigrationPlan,
  nameStep,
  type PlannedStep,
  planSteps,
  type Target,
} from './migration-plan.ts';
import { connectOwner } from './owner-connection.ts';

const lockPollMs = 250;

export interface MigrateOptions {
  /** URL of tenantscope_owner (or another role that may create roles and owns the database). */
  owner: string;
  /** The control database's owner, where control tables have a database of their own. */
  controlOwner?: string;
  /** Further cells, with the owner's URL of their read models. With a prefix of its topics, a cell is created unless it exists. */
  cells?: readonly { readonly name: string; readonly owner: string; readonly topicPrefix?: string | undefined }[];
  /** URLs whose user and password become the logins, the same in every database. */
  roles: Record<RoleName, string>;
  /** Of another version's migrations. */
  folder?: string;
}

export interface Migrated {
  readonly applied: readonly string[];
  /** Contract steps that could not be applied yet, which is no failure: the next call applies them. */
  readonly postponed: readonly { readonly name: string; readonly obstacles: readonly string[] }[];
  /** The further cells that were migrated, with the prefixes of their topics. */
  readonly cells: readonly CellRow[];
  /** Further cells of the control database that have no database in the options: they may be of an older version. */
  readonly omittedCells: readonly string[];
}

/** A migration that was refused or failed. The message names the step, what was changed, and what to do. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

/** As any store that does not respond, it may be reached later. The message names the cell. */
class CellUnreachable extends StoreUnavailable {
  override name = 'CellUnavailable';
}

/**
 * Upgrades the databases to this version: logins, schemas, and migrations in the order of their names, each in a transaction, under a lock that serializes
 * concurrent calls. Contract steps at the end wait for a later call while older processes run or a backfill is unfinished. Throws MigrationError before anything is
 * changed where an applied migration was changed afterwards, where the database is of a newer version, and where an expand step follows a contract step that cannot be
 * applied yet; and for a step that fails, which changes nothing.
 */
export async function migrate(options: MigrateOptions): Promise<Migrated> {
  await using opened = await openTargets(options);
  const { targets } = opened;
  for (const { client } of targets) await waitForLock(client);
  refuse(await planSteps(targets));
  const applied: string[] = [];
  const postponed: { name: string; obstacles: string[] }[] = [];
  for (const target of targets) {
    const { client, schemas } = target;
    if (target.cell !== null) await ensureCell(target.clients, target.cell, options, applied);
    await createLogins(client, options.roles);
    for (const schema of schemas) await client.query(`create schema if not exists ${schema}`);
    await client.query(
      `create table if not exists ${migrationTable(schemas)} (name text primary key, sha256 text not null, applied_at timestamptz not null default now())`,
    );
    const { pending } = await compareSteps(target);
    let waiting: string | null = null;
    for (const step of pending) {
      // Again: a step of this call may have begun a backfill.
      const obstacles = await listObstacles(step, target.clients, waiting);
      const name = nameStep(target, step.name);
      if (obstacles.length === 0) await applyOrReport(target, step, applied);
      else if (step.phase === 'expand') throw new MigrationError(describeStop({ name, obstacles }, applied));
      else {
        waiting ??= name;
        postponed.push({ name, obstacles });
      }
    }
    if (target.cell !== null) await recordCell(client, target.cell);
  }
  return { applied, postponed, ...(await splitCells(targets)) };
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
export async function planMigration(options: MigrateOptions): Promise<MigrationPlan & Pick<Migrated, 'omittedCells'>> {
  await using opened = await openTargets(options);
  const { omittedCells } = await splitCells(opened.targets);
  return { ...(await planSteps(opened.targets)), omittedCells };
}

async function splitCells(targets: readonly Target[]): Promise<Pick<Migrated, 'cells' | 'omittedCells'>> {
  const [control] = targets;
  const all = control === undefined ? [] : await readCells(control.client);
  const isMigrated = ({ name }: CellRow) => targets.some(({ cell }) => cell === name);
  return {
    cells: all.filter(isMigrated),
    omittedCells: all.filter((cell) => !isMigrated(cell)).map(({ name }) => name),
  };
}

async function ensureCell(
  { control, models }: MigrationClients,
  cell: string,
  { cells = [] }: Pick<MigrateOptions, 'cells'>,
  applied: readonly string[],
): Promise<void> {
  if ((await readCells(control)).some(({ name }) => name === cell)) return;
  // The control database was restored to a time before the cell: "restore finish", which may need this migration first, gets it from the ledger.
  if ((await readOwnCell(models)).cell === cell && !(await hasOpenEpoch(control))) return;
  const topicPrefix = cells.find(({ name }) => name === cell)?.topicPrefix;
  if (topicPrefix !== undefined) return createCell(control, { name: cell, topicPrefix });
  const variable = nameCellVariable(cell, 'TENANTSCOPE_CELL_TOPIC_PREFIX');
  throw new MigrationError(
    `There is no cell ${cell} in the control database. ${describeApplied(applied)} Set ${variable}, with which "tenantscope migrate" creates it, or create it with "tenantscope cell create"; then run "tenantscope migrate" again.`,
  );
}

async function hasOpenEpoch(control: pg.Client): Promise<boolean> {
  const { rows } = await control.query<{ isOpen: boolean }>('select control.has_open_epoch() as "isOpen"');
  return rows[0]?.isOpen === true;
}

async function openTargets({ owner, controlOwner = owner, cells = [], folder = migrationFolder }: MigrateOptions) {
  await using stack = new AsyncDisposableStack();
  const connect = async (url: string): Promise<pg.Client> => {
    const client = await connectOwner(url);
    stack.defer(() => client.end());
    return client;
  };
  const open = async (
    client: pg.Client,
    schemas: readonly Schema[],
    clients: MigrationClients,
    cell: string | null = null,
  ): Promise<Target> => ({ client, schemas, steps: await readSteps(folder, schemas), clients, cell });
  const control = await connect(controlOwner);
  const isOne = controlOwner === owner;
  const models = isOne ? control : await connect(owner);
  const clients: MigrationClients = { control, models };
  const targets = isOne
    ? [await open(control, ['control', 'models'], clients)]
    : [await open(control, ['control'], clients), await open(models, ['models'], clients)];
  for (const { name, owner: url } of cells) {
    const client = await connect(url).catch((error: Error) => {
      throw new CellUnreachable(
        `The database of the cell ${name} cannot be reached: ${error.message}. Nothing was changed in any database.`,
        { cause: error },
      );
    });
    targets.push(await open(client, ['models'], { control, models: client }, name));
  }
  const problem = (await findCellProblem(targets, models)) ?? findPrefixProblem(cells, await readCells(control));
  if (problem !== null) throw new MigrationError(`${problem} Nothing was changed.`);
  const opened = stack.move();
  return { targets, [Symbol.asyncDispose]: () => opened.disposeAsync() };
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

async function applyOrReport(target: Target, step: Step, applied: string[]): Promise<void> {
  const { client, schemas } = target;
  const name = nameStep(target, step.name);
  await applyStep(client, migrationTable(schemas), step).catch((error: unknown) => {
    if (!(error instanceof StepFailed)) throw error;
    throw new MigrationError(
      `The migration ${name} failed and changed nothing: ${error.message}. ${describeApplied(applied)} Start the processes of the previous version again, or leave them running; after the cause is removed, run "tenantscope migrate" again.`,
      { cause: error.cause },
    );
  });
  applied.push(name);
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
