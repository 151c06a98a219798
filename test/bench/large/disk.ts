import { runStatement } from '../installation.ts';
import type { Section } from '../report.ts';
import type { LargeDatabase } from './database.ts';

/** Bytes per row of the log, by table. */
export async function measureDisk(database: LargeDatabase): Promise<Section> {
  const rows = await runStatement(
    database.superuser,
    `with log as (select sum(row_count)::float8 as rows from models.source_progress where source = 'logs'),
          relation as (
            select coalesce(parent.relname, c.relname) as name, c.relkind, c.oid, c.reltoastrelid
              from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class parent on parent.oid = i.inhparent
             where c.relnamespace = 'models'::regnamespace and c.relkind = 'r')
     select name, sum(pg_relation_size(oid))::float8 / min(log.rows) as heap, sum(pg_indexes_size(oid))::float8 / min(log.rows) as indexes,
            sum(case when reltoastrelid = 0 then 0 else pg_total_relation_size(reltoastrelid) end)::float8 / min(log.rows) as toast,
            sum(pg_total_relation_size(oid))::float8 / min(log.rows) as total
       from relation, log group by name order by 5 desc limit 8`,
  );
  const byTable = rows.map(({ name, heap, indexes, toast, total }) => [
    String(name),
    ...[heap, indexes, toast, total].map((bytes) => Math.round(Number(bytes) * 10) / 10),
  ]);
  return {
    title: `Disk per row, ${database.state.rows} rows in the table`,
    description:
      'Bytes of each table divided by the number of rows of the log, its partitions together. audit_log_raw has the received records.',
    columns: ['', 'heap', 'indexes', 'TOAST', 'total'],
    rows: byTable,
  };
}
