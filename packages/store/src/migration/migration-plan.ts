import type pg from 'pg';
import { migrationTable } from './apply-step.ts';
import { listObstacles, type MigrationClients } from './contract-conditions.ts';
import type { Phase, Schema, Step } from './migration-files.ts';

/** A step that a migration would apply. */
export interface PlannedStep {
  readonly name: string;
  readonly phase: Phase;
  /** What the step requires of the installation. */
  readonly needs: readonly string[];
  /** Why it could not be applied now. */
  readonly obstacles: readonly string[];
}

export interface MigrationPlan {
  /** In the order in which they would be applied. */
  readonly pending: readonly PlannedStep[];
  /** Applied steps whose files were changed afterwards. */
  readonly changed: readonly string[];
  /** Applied steps that this version does not have: the database is of a newer one. */
  readonly unknown: readonly string[];
}

/** A database to migrate: a connection, its schemas, the audited one first, and their steps. */
export interface Target {
  readonly client: pg.Client;
  readonly schemas: readonly Schema[];
  readonly steps: readonly Step[];
  /** The databases whose state its steps wait for. */
  readonly clients: MigrationClients;
  /** Of read models of a further cell; null of the control database and the read models of the cell default. */
  readonly cell: string | null;
}

/** As steps are reported: those of several cells have the same names. */
export const nameStep = ({ cell }: Pick<Target, 'cell'>, name: string): string =>
  cell === null ? name : `${name} of the cell ${cell}`;

/** What the databases' own tables say was applied, against the steps of this version. Reads only. */
export async function compareSteps(target: Target): Promise<{ pending: Step[]; changed: string[]; unknown: string[] }> {
  const applied = await readApplied(target);
  const names = new Set(target.steps.map(({ name }) => name));
  return {
    pending: target.steps.filter(({ name }) => !applied.has(name)),
    changed: target.steps
      .filter(({ name, sha256 }) => (applied.get(name) ?? sha256) !== sha256)
      .map(({ name }) => name),
    unknown: [...applied.keys()].filter((name) => !names.has(name)),
  };
}

async function readApplied({ client, schemas }: Target): Promise<Map<string, string>> {
  const table = migrationTable(schemas);
  const { rows: found } = await client.query('select where to_regclass($1) is not null', [table]);
  if (found.length === 0) return new Map();
  const { rows } = await client.query<{ name: string; sha256: string }>(
    `select name, sha256 from ${table} order by name`,
  );
  return new Map(rows.map(({ name, sha256 }) => [name, sha256]));
}

export async function planSteps(targets: readonly Target[]): Promise<MigrationPlan> {
  const compared = await Promise.all(targets.map(async (target) => ({ target, ...(await compareSteps(target)) })));
  const pending: PlannedStep[] = [];
  for (const { target, pending: own } of compared) {
    let waiting: string | null = null;
    for (const step of own) {
      const { phase } = step;
      const name = nameStep(target, step.name);
      const obstacles: string[] = await listObstacles(step, target.clients, waiting);
      pending.push({ name, phase, needs: describeNeeds(step), obstacles });
      if (obstacles.length > 0) waiting ??= name;
    }
  }
  return {
    pending,
    changed: compared.flatMap(({ target, changed }) => changed.map((name) => nameStep(target, name))),
    unknown: compared.flatMap(({ target, unknown }) => unknown.map((name) => nameStep(target, name))),
  };
}

function describeNeeds({ processes, isTransactional }: Step): string[] {
  return [
    ...(processes === null ? [] : [`all processes of version ${processes} or later`, 'no unfinished backfill']),
    ...(isTransactional ? [] : ['runs outside a transaction']),
  ];
}
