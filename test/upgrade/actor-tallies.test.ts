import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { checkout } from '@tenantscope/local';
import { migrate } from '@tenantscope/store/admin';
import { backfillLogTally } from '@tenantscope/store/ingest';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { readActorDays, recountActorDays } from '../ingest/actor-days.ts';
import { logRow, openLaneWriter, writeRows } from '../installation/lane-writer.ts';
import { createDatabaseOn } from '../services/database.ts';

const dayMs = 86_400_000;
/** The migration that adds tallies of actors in rows of 32 days. */
const added = '0050';

/** The migrations before it. */
async function copyEarlierMigrations(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'tenantscope-migrations-'));
  const isEarlier = (source: string) => !/^\d{4}_/.test(basename(source)) || basename(source) < added;
  await cp(join(checkout, 'migrations'), path, { recursive: true, filter: isEarlier });
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

/** History of 40 days: rows on time and late ones, events ahead of our clock, ids in two cases and long ones, with and without devices. */
async function writeHistory(superuser: pg.Client, tenantIds: readonly string[]): Promise<void> {
  const oldest = `(select min(from_at) from models.audit_log_partition)`;
  const width = `(select partition_width from models.retention where feed = 'logs')`;
  for (let reached = false; !reached; ) {
    await superuser.query(`select models.add_log_partition(${oldest} - ${width}, ${oldest}, false)`);
    const { rows } = await superuser.query<{ reached: boolean }>(
      `select ${oldest} < now() - interval '41 days' as reached`,
    );
    reached = rows[0]?.reached === true;
  }
  await superuser.query(
    `insert into models.audit_log (tenant_id, discovered_at, id, occurred_at, action, actor_id, device_id, is_managed_device, outcome, normaliser_version, member_lines)
     select ($1::uuid[])[1 + n % 2], at, gen_random_uuid(), at - delay, 'a',
            (array['anna@contoso.example', 'Anna@Contoso.example', 'ŻANETA@contoso.example', 'żaneta@contoso.example', repeat('x', 3000), null])[1 + n % 6],
            (array[null, 'device-1', repeat('ł', 300)])[1 + n % 3], (array[null, true, false, null])[1 + n % 4],
            (array['success', 'failure', null])[1 + n / 2 % 3], 1, ''
       from generate_series(1, 3000) n
      cross join lateral (select date_trunc('milliseconds', now() - interval '1 minute' - n % 40 * interval '1 day' - n * interval '7 seconds') as at,
                                 case n % 5 when 0 then n % 35 * interval '1 day' when 1 then interval '-40 minutes' else n % 11 * interval '3 hours' end as delay) t`,
    [tenantIds],
  );
  await superuser.query(
    `insert into models.source_progress (tenant_id, source, cluster_id, topic_id, partition, last_discovered_at, row_count)
     select id, 'logs', 'c', gen_random_uuid(), 0, now(), 1500 from unnest($1::uuid[]) id`,
    [tenantIds],
  );
}

test('rows from before tallies of actors are counted once by the backfill of the upgrade, and rows written meanwhile too', async () => {
  await using database = await createDatabaseOn(inject('services').postgres);
  await using earlier = await copyEarlierMigrations();
  const { owner, roles } = database;
  const { applied } = await migrate({ owner, roles, folder: earlier.path });
  expect(applied.filter((name) => name >= added)).toEqual([]);
  const superuser = new pg.Client(database.superuser);
  await superuser.connect();
  try {
    await superuser.query('select models.maintain_log_partitions()');
    await superuser.query(
      `insert into models.ingest_lane (cluster_id, topic_id, partition, topic, source, settled_at, opened) values ('c', gen_random_uuid(), 0, 'activity', 'activity', now(), true)`,
    );
    const tenantIds = [randomUUID(), randomUUID()];
    await writeHistory(superuser, tenantIds);

    expect((await migrate({ owner, roles })).applied[0]).toMatch(new RegExp(`^${added}_`));
    await using lanes = await openLaneWriter(database, { partitions: 2 });
    const { rows } = await superuser.query<{ from: Date }>(
      `select next_at as "from" from models.log_tally_backfill where tally = 'actor_tally'`,
    );
    const from = rows[0]?.from as Date;
    // Rules read 30 days, and an event may be told 48 hours ahead of our clock.
    expect(Math.round((Date.now() - from.getTime()) / dayMs)).toBe(33);
    const write = () =>
      writeRows(
        lanes,
        0,
        Array.from({ length: 30 }, (_, number) =>
          logRow(tenantIds[number % 2] as string, {
            actorId: 'anna@contoso.example',
            occurredAtMs: Date.now() - number * dayMs,
          }),
        ),
      );
    await write();
    for (let hasStep = true, steps = 0; hasStep; steps++) {
      hasStep = await backfillLogTally(lanes.ledger.pool);
      if (steps === 100) await write();
    }
    const unfinished = await superuser.query('select from models.log_tally_backfill where next_at is not null');
    expect(unfinished.rowCount).toBe(0);

    const counted = await readActorDays(superuser, tenantIds);
    expect(counted).toEqual(await recountActorDays(superuser, tenantIds, from));
    const events = counted.reduce((sum, day) => sum + day.events, 0);
    const { rows: stored } = await superuser.query<{ count: number }>(
      'select count(*)::int as count from models.audit_log where tenant_id = any($1) and actor_id is not null and discovered_at >= $2',
      [tenantIds, from],
    );
    expect(events).toBe(stored[0]?.count);
    expect(events).toBeGreaterThan(2_000);
  } finally {
    await superuser.end();
  }
}, 180_000);
