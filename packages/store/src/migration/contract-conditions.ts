import type pg from 'pg';
import type { Step } from './migration-files.ts';

/** Connections to the databases that are migrated, which may be one. */
export interface MigrationClients {
  readonly control: pg.Client;
  readonly models: pg.Client;
}

/** A process that reported itself within the last minute. */
interface RunningProcess {
  readonly app: string;
  readonly host: string;
  readonly version: string;
}

/**
 * Why a step cannot be applied now, one text for each reason; empty where it can. A contract step waits for older processes and for backfills, and any step for
 * an earlier one that waits: steps are applied in their order.
 */
export async function listObstacles(
  { processes }: Step,
  clients: MigrationClients,
  waiting: string | null,
): Promise<string[]> {
  const follows = waiting === null ? [] : [`it follows ${waiting}, which is not applied`];
  if (processes === null) return follows;
  const older = (await readRunningProcesses(clients.control)).filter(({ version }) => isOlder(version, processes));
  return [
    ...follows,
    ...older.map(({ app, host, version }) => `process ${app} on ${host} runs version ${version}`),
    ...(await listUnfinishedBackfills(clients.models)).map((name) => `backfill ${name} is not finished`),
  ];
}

async function readRunningProcesses(control: pg.Client): Promise<RunningProcess[]> {
  if (!(await exists(control, 'control.process'))) return [];
  const { rows } = await control.query<RunningProcess>(
    `select app, host, version from control.process where seen_at > clock_timestamp() - interval '1 minute' order by app, host, version`,
  );
  return rows;
}

async function listUnfinishedBackfills(models: pg.Client): Promise<string[]> {
  if (!(await exists(models, 'models.log_tally_backfill'))) return [];
  const { rows } = await models.query<{ tally: string }>(
    'select tally from models.log_tally_backfill where next_at is not null order by tally',
  );
  return rows.map(({ tally }) => tally);
}

/** Before the first migration there is neither. */
async function exists(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [table]);
  return rows[0]?.exists ?? false;
}

/** By the three numbers; a pre-release counts as its release. What is no version is older than any. */
function isOlder(version: string, than: string): boolean {
  const [left, right] = [version, than].map((text) => /^(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number));
  if (left === undefined || right === undefined) return true;
  const differing = left.findIndex((number, index) => number !== right[index]);
  return differing !== -1 && (left[differing] ?? 0) < (right[differing] ?? 0);
}
