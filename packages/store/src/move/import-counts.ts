import type pg from 'pg';

/**
 * Copies what lanes of `from` have counted of a tenant's imports, where it is further than in `to`: an import that ran while its tenant moved goes on in the
 * topics of the former cell.
 */
export async function copyImportCounts(from: pg.Client, to: pg.Client, tenantId: string): Promise<void> {
  const { rows } = await from.query<{ counts: string | null }>(
    `select jsonb_agg(to_jsonb(l))::text as counts from models.import_lane l join models.import i on i.id = l.import_id where i.tenant_id = $1`,
    [tenantId],
  );
  await to.query(
    `insert into models.import_lane (import_id, cluster_id, topic_id, partition, last_sequence, messages, records, rows, duplicates, dead_letters)
     select l.import_id, l.cluster_id, l.topic_id, l.partition, l.last_sequence, l.messages, l.records, l.rows, l.duplicates, l.dead_letters
       from jsonb_populate_recordset(null::models.import_lane, $1) l where exists (select from models.import i where i.id = l.import_id)
     on conflict (import_id, cluster_id, topic_id, partition) do update
        set last_sequence = excluded.last_sequence, messages = excluded.messages, records = excluded.records, rows = excluded.rows,
            duplicates = excluded.duplicates, dead_letters = excluded.dead_letters
      where import_lane.last_sequence < excluded.last_sequence`,
    [rows[0]?.counts ?? '[]'],
  );
}
