import { nameCellVariable } from '@tenantscope/runtime';
import type pg from 'pg';
import type { Target } from './migration-plan.ts';

/**
 * Why the databases cannot be those of their cells; null where they can. A database of read models belongs to one cell for good: the rows that it has are
 * served as all of their tenants.
 */
export async function findCellProblem(targets: readonly Target[], models: pg.Client): Promise<string | null> {
  const own = await readOwnCell(models);
  if (own.cell !== null) return `The database of the read models is that of the cell ${own.cell}.`;
  const seen = new Map<string, string>();
  for (const { client, cell } of targets) {
    const server = await readServer(client);
    const other = seen.get(server);
    if (other !== undefined) return `The cells ${other} and ${cell} have one database.`;
    seen.set(server, cell ?? 'default');
    if (cell === null) continue;
    const found = await readOwnCell(client);
    if (found.cell !== null && found.cell !== cell)
      return `The database of the cell ${cell} is that of the cell ${found.cell}.`;
    if (found.cell === null && found.hasLanes)
      return `The database of the cell ${cell} is that of the cell default: it has lanes.`;
  }
  return null;
}

export interface CellRow {
  readonly name: string;
  readonly topicPrefix: string;
}

/** The further cells of the control database; none before the first migration. */
export async function readCells(control: pg.Client): Promise<readonly CellRow[]> {
  const { rows: found } = await control.query<{ exists: boolean }>(
    `select to_regclass('control.cell') is not null as exists`,
  );
  if (!found[0]?.exists) return [];
  const { rows } = await control.query<CellRow>(
    `select id as name, topic_prefix as "topicPrefix" from control.cell where id <> 'default' order by id`,
  );
  return rows;
}

/** Why cells cannot have the topic prefixes that are declared; null where they can. A cell has the prefix with which it was created. */
export function findPrefixProblem(
  declared: readonly { readonly name: string; readonly topicPrefix?: string | undefined }[],
  existing: readonly CellRow[],
): string | null {
  const taken = new Map(existing.map(({ name, topicPrefix }) => [topicPrefix, name]));
  for (const { name, topicPrefix } of declared) {
    if (topicPrefix === undefined) continue;
    const variable = nameCellVariable(name, 'TENANTSCOPE_CELL_TOPIC_PREFIX');
    const present = existing.find((cell) => cell.name === name);
    if (present !== undefined && present.topicPrefix !== topicPrefix)
      return `The cell ${name} has the topic prefix ${present.topicPrefix}, and ${variable} is ${topicPrefix}: the prefix of a cell does not change. Correct the variable.`;
    const other = taken.get(topicPrefix) ?? name;
    if (other !== name)
      return `The cells ${other} and ${name} have one topic prefix, ${topicPrefix}. Correct ${variable}.`;
    taken.set(topicPrefix, name);
  }
  return null;
}

export async function createCell(control: pg.Client, { name, topicPrefix }: CellRow): Promise<void> {
  await control.query('insert into control.cell (id, topic_prefix) values ($1, $2)', [name, topicPrefix]);
}

/** Records of which cell a database is. */
export async function recordCell(client: pg.Client, cell: string): Promise<void> {
  await client.query('insert into models.cell (id) values ($1) on conflict (id) do nothing', [cell]);
}

/** A database of one server and its name. */
async function readServer(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ server: string }>(
    `select concat_ws(' ', pg_postmaster_start_time()::text, inet_server_port(), current_database()) as server`,
  );
  return rows[0]?.server ?? '';
}

/** Null: of no further cell. Also before the first migration. */
export async function readOwnCell(client: pg.Client): Promise<{ cell: string | null; hasLanes: boolean }> {
  const exists = async (table: string) => {
    const { rows } = await client.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [table]);
    return rows[0]?.exists ?? false;
  };
  const cell = (await exists('models.cell'))
    ? ((await client.query<{ id: string }>('select id from models.cell')).rows[0]?.id ?? null)
    : null;
  const hasLanes =
    (await exists('models.ingest_lane')) &&
    (await client.query('select from models.ingest_lane limit 1')).rows.length > 0;
  return { cell, hasLanes };
}
