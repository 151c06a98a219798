import { randomUUID } from 'node:crypto';
import { completeSeal, findSealable, sealNext } from '@tenantscope/store/ingest';
import { type LogsPageQuery, logFilterColumns } from '@tenantscope/store/read';
import fc from 'fast-check';
import type pg from 'pg';
import type { DatabaseInspector } from '../installation/database-inspector.ts';
import { openTestPool } from '../services/pool.ts';

/** A partition of the past, with everything that `maintain_log_partitions` creates. */
export async function openPastPartition(
  { client }: DatabaseInspector,
  { name, fromMs, toMs }: { name: string; fromMs: number; toMs: number },
): Promise<void> {
  const range = `from ('${new Date(fromMs).toISOString()}') to ('${new Date(toMs).toISOString()}')`;
  const like = 'including defaults including constraints including storage';
  await client.query(
    `create table models.audit_log_${name} (like models.audit_log ${like});
     create index on models.audit_log_${name} (tenant_id, discovered_at, id);
     alter table models.audit_log attach partition models.audit_log_${name} for values ${range};
     grant select, insert on models.audit_log_${name} to tenantscope_ingest;
     create table models.audit_log_raw_${name} (like models.audit_log_raw ${like});
     alter table models.audit_log_raw attach partition models.audit_log_raw_${name} for values ${range};
     insert into models.audit_log_partition (name, from_at, to_at)
     values ('audit_log_${name}', '${new Date(fromMs).toISOString()}', '${new Date(toMs).toISOString()}');
     do $$ begin
       execute format('alter table models.audit_log_${name} owner to %1$I; alter table models.audit_log_raw_${name} owner to %1$I',
                      (select tableowner from pg_tables where schemaname = 'models' and tablename = 'audit_log'));
     end $$`,
  );
}

const texts = [...new Set(Object.values(logFilterColumns))].filter((column) => column !== 'is_managed_device');

/** Rows 10 ms apart, of which every 50th has its instant in common with the next 19: blocks end in the middle of some of them. */
export async function insertRows(
  { client }: DatabaseInspector,
  { tenantId, fromMs, count }: { tenantId: string; fromMs: number; count: number },
): Promise<string[]> {
  const records = Array.from({ length: count }, (_, number) => {
    const atMs = fromMs + (number % 50 < 20 ? number - (number % 50) : number) * 10;
    const columns = Object.fromEntries(
      texts.map((column, index) => [
        column,
        (number + index) % 7 === 0 ? null : `${column} ${(number * (index + 1)) % 23}`,
      ]),
    );
    return {
      ...columns,
      tenant_id: tenantId,
      id: randomUUID(),
      discovered_at: new Date(atMs).toISOString(),
      occurred_at: new Date(atMs - (number % 13) * 100_000).toISOString(),
      action: `action ${number % 11}`,
      actor_id: number % 5 === 0 ? null : `Jürgen-Ż${number % 300}@Contoso.example`,
      external_event_id: `event ${number}`,
      target_ids: [null, [], ['a,"{b}', `grüße ${number % 40}`]][number % 3],
      is_managed_device: [true, false, null][number % 3],
      normaliser_version: 1,
      member_lines: ['"FileAccessed"', JSON.stringify(`a\\,"},{"id":"ü ${number}`), '', '"u"', `{"n":${number}}`]
        .slice(0, 1 + (number % 5))
        .join('\n')
        .replace(/\n+$/, ''),
    };
  });
  await client.query(
    'insert into models.audit_log select * from jsonb_populate_recordset(null::models.audit_log, $1::jsonb)',
    [JSON.stringify(records)],
  );
  return records.map(({ id }) => id);
}

const chooseFilters: fc.Arbitrary<LogsPageQuery['filters']> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.nat({ max: 14 }).map((n) => ({ action: [`ACTION ${n}`, 'Action 3'] })) },
  { weight: 1, arbitrary: fc.nat({ max: 4_000 }).map((n) => ({ externalEventId: [`event ${n}`] })) },
  { weight: 1, arbitrary: fc.nat({ max: 310 }).map((n) => ({ user: [`jürgen-Ż${n}@contoso.example`, 'user_id 3'] })) },
  { weight: 1, arbitrary: fc.nat({ max: 45 }).map((n) => ({ targetId: [`grüße ${n}`, 'a,"{b}', 'resource_id 4'] })) },
  {
    weight: 1,
    arbitrary: fc.boolean().map((one) => ({ isManagedDevice: [one], severity: ['severity 3', 'severity 5'] })),
  },
  {
    weight: 1,
    arbitrary: fc.constant({ user: Array.from({ length: 400 }, (_, n) => `jürgen-Ż${n}@contoso.example`) }),
  },
);

/** Queries over a time and what surrounds it. */
export function chooseQuery(
  tenantId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): fc.Arbitrary<LogsPageQuery> {
  const instant = fc.oneof(
    fc.integer({ min: fromMs - 100, max: toMs + 100 }),
    fc.integer({ min: 0, max: Math.floor((toMs - fromMs) / 5_000) }).map((n) => fromMs + n * 5_000),
  );
  const open = fc.option(instant, { nil: null, freq: 2 });
  return fc.record({
    tenantId: fc.constant(tenantId),
    sort: fc.constantFrom('discoveredAtAsc' as const, 'discoveredAtDesc' as const),
    discovered: fc.record({ fromMs: open, toMs: fc.oneof(fc.constant(toMs + 1_000), instant) }),
    occurred: fc.oneof(
      { weight: 5, arbitrary: fc.constant({ fromMs: null, toMs: null }) },
      { weight: 1, arbitrary: fc.record({ fromMs: open, toMs: open }) },
    ),
    filters: chooseFilters,
    after: fc.option(fc.record({ atMs: instant, id: fc.option(fc.uuid(), { nil: null }) }), { nil: null }),
    limit: fc.oneof(fc.constantFrom(1, 50, 255, 256, 257, 1_000), fc.integer({ min: 1, max: 1_000 })),
    timeoutMs: fc.constant(10_000),
  });
}

/** Seals a partition of the log, which has no table of raw records, as ingest does. */
export async function sealPartition(superuser: pg.Pool, ingestUrl: string, name: string): Promise<void> {
  const pool = openTestPool(ingestUrl, { max: 2 });
  try {
    await superuser.query(
      `update models.retention set seal_after_days = 0;
       grant select on models.${name} to tenantscope_ingest;
       do $$ begin
         execute format('alter table models.${name} owner to %I', (select tableowner from pg_tables where schemaname = 'models' and tablename = 'audit_log'));
       end $$`,
    );
    const { rows } = await superuser.query<{ id: string }>(`select distinct tenant_id as id from models.${name}`);
    const partition = await findSealable(pool, Date.now());
    if (partition?.name !== name) throw new Error(`${name} is not to be sealed, but ${partition?.name}`);
    const throughMs = partition.to_at.getTime();
    for (const { id } of rows) while (!(await sealNext(pool, id, partition, throughMs)).isDone);
    if (!(await completeSeal(pool, partition, throughMs))) throw new Error(`${name} was not sealed`);
  } finally {
    await pool.end();
  }
}
