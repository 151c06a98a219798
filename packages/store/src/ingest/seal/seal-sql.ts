import { sealedColumns, sealedValue } from '../../resource/sealed-columns.ts';

const rowsOf = (partition: string): string =>
  `(select * from models.${partition} l where l.tenant_id = $1 and l.discovered_at between $2 and $4
      and (l.discovered_at, l.id) between ($2, $3) and ($4, $5) order by l.discovered_at, l.id)`;

const listColumns = (toSql: (column: string) => string): string => sealedColumns.map(toSql).join(', ');

/** Values: the key of the block; rows, members; compressed text, parts and ends of its documents. */
export const insertStatement = (partition: string) => ({
  name: `seal ${partition}`,
  text: `insert into models.log_sealed (tenant_id, first_at, first_id, last_at, last_id, row_count, member_count,
                                        documents, document_parts, document_ends, ${sealedColumns.join(', ')})
         select $1::uuid, $2::timestamptz, $3::uuid, $4::timestamptz, $5::uuid, $6::integer, $7::smallint, $8::bytea, $9::bytea, $10::bytea,
                ${listColumns((column) => `array_agg(${sealedValue('r', column)})`)}
           from ${rowsOf(partition)} r`,
});

/** Whether the columns of a block that was written are those of its rows, in their order; and its documents. Values: the key of the block. */
export const compareStatement = (partition: string) => ({
  name: `compare ${partition}`,
  text: `select s.documents as deflated, s.document_parts as parts, s.document_ends as ends,
                (select array_agg(row(${listColumns((column) => sealedValue('r', column))})::text) from ${rowsOf(partition)} r)
                = (select array_agg(row(${listColumns((column) => `c.${column}`)})::text order by c.place)
                     from unnest(${listColumns((column) => `s.${column}`)}) with ordinality c (${sealedColumns.join(', ')}, place)) as ok
           from models.log_sealed s where s.tenant_id = $1 and s.first_at = $2 and s.first_id = $3`,
});
