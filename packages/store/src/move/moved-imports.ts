import type pg from 'pg';
import { inTransaction } from '../connection/transaction.ts';

/**
 * Copies the imports of a tenant, and what lanes have counted of them, where `from` is further than `to`. A lane is of one cell, which may count while this
 * runs: nothing that `to` has counted is replaced by less.
 */
export async function copyImports(from: pg.Client, to: pg.Client, tenantId: string): Promise<void> {
  const { rows } = await from.query<{ imports: string | null; counts: string | null }>(
    `select (select jsonb_agg(to_jsonb(i))::text from models.import i where i.tenant_id = $1) as imports,
            (select jsonb_agg(to_jsonb(l))::text from models.import_lane l join models.import i on i.id = l.import_id where i.tenant_id = $1) as counts`,
    [tenantId],
  );
  const { imports, counts } = rows[0] ?? {};
  await inTransaction(to, async () => {
    await to.query(
      `insert into models.import (id, tenant_id, topic, format, input, files, started_by, started_at, published, published_at)
       select i.id, i.tenant_id, i.topic, i.format, i.input, i.files, i.started_by, i.started_at, i.published, i.published_at
         from jsonb_populate_recordset(null::models.import, $1) i
       on conflict (id) do update set published = excluded.published, published_at = excluded.published_at
        where import.published < excluded.published or import.published_at is null and excluded.published_at is not null`,
      [imports ?? '[]'],
    );
    await to.query(
      `insert into models.import_lane (import_id, cluster_id, topic_id, partition, last_sequence, messages, records, rows, duplicates, dead_letters)
       select l.import_id, l.cluster_id, l.topic_id, l.partition, l.last_sequence, l.messages, l.records, l.rows, l.duplicates, l.dead_letters
         from jsonb_populate_recordset(null::models.import_lane, $1) l
       on conflict (import_id, cluster_id, topic_id, partition) do update
          set last_sequence = excluded.last_sequence, messages = excluded.messages, records = excluded.records, rows = excluded.rows,
              duplicates = excluded.duplicates, dead_letters = excluded.dead_letters
        where import_lane.last_sequence < excluded.last_sequence`,
      [counts ?? '[]'],
    );
  });
}

/** Imports whose counts do not change any more in this cell: all of their messages are counted, or lanes of other cells read them. */
export async function listCountedImports(client: pg.Client, tenantId: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select i.id from models.import i
      where i.tenant_id = $1
        and (not exists (select from models.ingest_lane lane where lane.topic = i.topic)
             or i.published_at is not null and i.published <= (select coalesce(sum(l.messages), 0) from models.import_lane l where l.import_id = i.id))`,
    [tenantId],
  );
  return rows.map(({ id }) => id);
}

export async function deleteImports(client: pg.Client, ids: readonly string[]): Promise<void> {
  await client.query('delete from models.import where id = any($1::uuid[])', [ids]);
}
