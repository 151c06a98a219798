import { hourMs, lineMembers } from '@tenantscope/contract';
import type pg from 'pg';
import { withConnection } from '../../connection/pool.ts';
import { actorTally, type LogTally, logTallies } from '../row/log-tallies.ts';
import { backfillActorTallies, countActorDays } from './actor-backfill.ts';
import { backfillFileReads } from './file-read-backfill.ts';
import { countAgain, sourceAlias, type TallySource } from './tally-sql.ts';

export const longestStepMs = hourMs;

export interface BackfillStep {
  /** The first unfinished one by default. */
  readonly tally?: string;
  /** The step counts the rows of all tenants that were discovered in this time. */
  readonly stepMs?: number;
}

/** Its own shard: lanes never wait for it. */
const backfillShard = -1;

/**
 * Counts the next rows for a tally that was added after they were written. Rows and position are written in one transaction: a step that is
 * interrupted has counted nothing. Any number of callers; returns false when no step is left, or another process is at it.
 */
export function backfillLogTally(pool: pg.Pool, next: BackfillStep = {}): Promise<boolean> {
  return withConnection(pool, async (client) => {
    await client.query('begin');
    try {
      const hasStep = await runStep(client, next);
      await client.query('commit');
      return hasStep;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    }
  });
}

export async function listUnfinishedTallies(pool: pg.Pool): Promise<string[]> {
  const { rows } = await withConnection(pool, (client) =>
    client.query<{ tally: string }>(
      'select tally from models.log_tally_backfill where next_at is not null order by tally',
    ),
  );
  return rows.map(({ tally }) => tally);
}

interface Step {
  readonly tally: string;
  readonly from_at: string;
  /** Exclusive. */
  readonly to_at: string;
  readonly is_last: boolean;
}

async function runStep(client: pg.PoolClient, { tally, stepMs = longestStepMs }: BackfillStep): Promise<boolean> {
  const { rows } = await client.query<Step>(
    `select tally, next_at::text as from_at, least(next_at + step, until_at + interval '1 ms')::text as to_at, next_at + step > until_at as is_last
       from models.log_tally_backfill b cross join make_interval(secs => $2::float8 / 1000) step
      where next_at is not null and tally = coalesce($1::text, tally) order by tally limit 1 for update of b skip locked`,
    [tally, stepMs],
  );
  const [step] = rows;
  if (step === undefined) return false;
  const fillRows = rowBackfills[step.tally];
  if (fillRows !== undefined) {
    await client.query(`select ${fillRows}()`);
    return true;
  }
  await fillStep(client, step);
  await client.query(
    'update models.log_tally_backfill set next_at = case when $3 then null else $2::timestamptz end where tally = $1',
    [step.tally, step.to_at, step.is_last],
  );
  return true;
}

/** What fills `models.file_exposure`, `models.incident_fact`, `models.user_fact` and `models.interaction_fact`, row by row, by the names of their backfills. Its steps have a position of their own. */
const rowBackfills: Readonly<Record<string, string>> = {
  file: 'models.backfill_file_exposure',
  incident: 'models.backfill_incident_facts',
  interaction_fact: 'models.backfill_interaction_facts',
  user: 'models.backfill_user_facts',
};

/** The names by which `models.log_read` and `models.actor_tally` are filled. Rows of actors by day had the name `actor`. */
const fileReads = 'read';
const actors = 'actor_tally';

async function fillStep(client: pg.PoolClient, step: Step): Promise<void> {
  const { from_at: from, to_at: to } = step;
  if (step.tally === fileReads)
    return backfillFileReads(client, { from, to, logPartitions: await listLogPartitions(client, step) });
  if (step.tally === actors) {
    for (const source of await listSources(client, actorTally, step))
      await backfillActorTallies(client, backfillShard, countByTenant(actorTally, source, countActorDays), [from, to]);
    return;
  }
  const tally = logTallies.find(({ name }) => name === step.tally);
  if (tally === undefined) throw new TypeError(`unknown tally ${step.tally}`);
  for (const source of await listSources(client, tally, step))
    await client.query(countStatement(tally, source), [from, to]);
}

async function listSources(client: pg.PoolClient, { sql }: LogTally, step: Step): Promise<string[]> {
  if (sql.from !== 'log') return ['models.log_fact f'];
  return (await listLogPartitions(client, step)).map((partition) => `${partition} l`);
}

/**
 * Where the rows of a step are, as items of FROM: ingestion may read partitions of the log but not their parent. Those of sealed partitions are
 * read for a tenant `owner.id`, with the one line of theirs that a backfill reads.
 */
async function listLogPartitions(client: pg.PoolClient, { from_at, to_at }: Step): Promise<string[]> {
  const { rows } = await client.query<{ item: string }>(
    `select case when sealed_at is null then format('models.%I', name)
                 else format($$lateral (select s.*, repeat(e'\\n', ${clientIdLine}) || coalesce(s.application_client_id, '') as member_lines
                                          from models.sealed_log_rows(owner.id, greatest($1::timestamptz, %L), least($2::timestamptz, %L)) s)$$,
                             from_at, to_at - interval '1 ms') end as item
       from models.audit_log_partition where from_at < $2 and to_at > $1 order by from_at`,
    [from_at, to_at],
  );
  return rows.map(({ item }) => item);
}

const clientIdLine = lineMembers.indexOf('applicationClientId');

/** Tenant by tenant, by the index of the pages. */
function countByTenant(tally: LogTally, from: string, count: (source: TallySource) => string): string {
  const of = sourceAlias(tally);
  const where = `${of}.tenant_id = owner.id and ${of}.discovered_at >= $1 and ${of}.discovered_at < $2`;
  return `
    select c.* from (select distinct tenant_id as id from models.source_progress where source = 'logs') owner
     cross join lateral (${count({ from, where })}) c`;
}

function countStatement(tally: LogTally, source: string): string {
  return `
    insert into models.log_tally as t (tenant_id, tally, at, subject, object, flags, shard, events, first_at, last_at)
    select c.tenant_id, c.tally, c.at, c.subject, c.object, c.flags, ${backfillShard}, c.events, c.first_at, c.last_at
      from (${countByTenant(tally, source, (of) => countAgain(tally, of))}) c
    on conflict (tenant_id, tally, at, subject, object, flags, shard) do update
      set events = t.events + excluded.events,
          first_at = least(t.first_at, excluded.first_at),
          last_at = greatest(t.last_at, excluded.last_at)`;
}

/** Merges counts of files that were written since, for one tenant. Returns how many; 0 when none are left. */
export async function mergeFileTallies(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ merged: number }>('select models.merge_file_tallies() as merged');
  return rows[0]?.merged ?? 0;
}
