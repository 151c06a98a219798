import { randomUUID } from 'node:crypto';
import { startTallyBackfill } from '@tenantscope/ingest/tally-backfill';
import { createLog } from '@tenantscope/runtime';
import { expect, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { openTestPool } from '../services/pool.ts';
import { readActorDays, recountActorDays } from './actor-days.ts';
import { openLaneFixture } from './lane-fixture.ts';

const { database, superuser } = await openLaneFixture({ partitions: 1 });

const actors = 64;

/** Rows of the last hour, each of another actor, from before their tallies. */
async function writeHistory(tenantId: string): Promise<void> {
  const oldest = `(select min(from_at) from models.audit_log_partition)`;
  const width = `(select partition_width from models.retention where feed = 'logs')`;
  await superuser.query(`select models.add_log_partition(${oldest} - ${width}, ${oldest}, false)`);
  await superuser.query(
    `insert into models.audit_log (tenant_id, discovered_at, id, occurred_at, action, actor_id, outcome, normaliser_version, member_lines)
     select $1, at, gen_random_uuid(), at - interval '1 minute', 'a', 'actor-' || n, 'success', 1, ''
       from generate_series(1, ${actors}) n
      cross join lateral (select date_trunc('milliseconds', now() - n * interval '50 seconds') as at) t`,
    [tenantId],
  );
  await superuser.query(
    `insert into models.source_progress (tenant_id, source, cluster_id, topic_id, partition, last_discovered_at, row_count)
     values ($1, 'logs', 'c', gen_random_uuid(), 0, now(), ${actors})`,
    [tenantId],
  );
  for (const tally of ['actor_tally', 'lifecycle', 'assistant'])
    await superuser.query('select models.begin_log_tally_backfill($1)', [tally]);
  await superuser.query(`update models.log_tally_backfill set next_at = now() - interval '2 hours'`);
}

const listUnfinished = async (): Promise<string[]> =>
  (
    await superuser.query<{ tally: string }>(
      'select tally from models.log_tally_backfill where next_at is not null order by tally',
    )
  ).rows.map(({ tally }) => tally);

test('a step that takes longer than a statement may is repeated with fewer rows, and delays no other tally', async () => {
  const tenantId = randomUUID();
  await writeHistory(tenantId);
  // A name of another version sorts before all others and fails each time.
  await superuser.query(`insert into models.log_tally_backfill values ('a later one', now(), now())`);
  // All actors of an hour take 1.28 s.
  await superuser.query(
    `create function models.delay() returns trigger language plpgsql as $$ begin perform pg_sleep(0.02); return new; end $$;
     create trigger delay before insert on models.actor_tally for each row execute function models.delay()`,
  );
  const pool = openTestPool(database.roles.ingest, { options: '-c statement_timeout=1s' });
  const models = { pool, schema: 'models' } as const;
  const backfill = startTallyBackfill({ models, log: createLog({ name: 'test', level: 'silent' }), intervalMs: 100 });
  try {
    await eventually('the others have finished', 40_000, async () => (await listUnfinished()).length === 1);
    expect(await listUnfinished()).toEqual(['a later one']);
    const days = await readActorDays(superuser, [tenantId]);
    expect(days).toEqual(await recountActorDays(superuser, [tenantId]));
    expect(days).toHaveLength(actors);
  } finally {
    await backfill[Symbol.asyncDispose]();
    await pool.end();
  }
});
