import pg from 'pg';
import type { ListMapping } from './list-mapping.ts';
import { type Column, readColumns } from './row-writer.ts';

export interface BulkRows {
  /** Has seven of ten rows. */
  readonly largeTenant: string;
  /** Has one of a hundred rows. */
  readonly smallTenant: string;
  readonly count: number;
  /** All axes of all rows lie evenly between these times, each in its own order. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Fills the table of a list inside the server, without statistics: the caller runs `analyze`. */
export async function insertBulkRows(client: pg.Pool, mapping: ListMapping, rows: BulkRows): Promise<void> {
  const columns = await readColumns(client, mapping.table);
  const expressions = columns.map((column, place) => expressionOf(mapping, column, place, rows));
  await client.query(
    `insert into ${mapping.table} (${columns.map(({ name }) => `"${name}"`).join(', ')})
     select ${expressions.join(', ')}
       from (select g, md5(g::text) as id, ${Object.keys(mapping.axes)
         .map((axis, place) => `${timestampOf(rows, place)} as "${axis}"`)
         .join(', ')} from generate_series(1, ${rows.count}) g) made`,
  );
}

/** Strides without a common divisor with the counts: each visits every position once. */
const strides = [7_919, 104_729, 1_299_709];

const timestampOf = ({ fromMs, toMs, count }: BulkRows, place: number): string =>
  `to_timestamp((${fromMs} + floor(((g::bigint * ${strides[place % strides.length]}) % ${count}) * ${(toMs - fromMs) / count}::float8)) / 1000.0)`;

function expressionOf(
  { axes, fixed, filters }: ListMapping,
  { name, type, notNull }: Column,
  place: number,
  { largeTenant, smallTenant }: BulkRows,
): string {
  const axis = Object.entries(axes).find(([, column]) => column === name)?.[0];
  const values = Object.values(filters).flatMap((filter) => (filter.columns.includes(name) ? filter.values : []));
  const oneOf = (literals: readonly string[]) =>
    `(array[${literals.join(', ')}]::${type}[])[1 + (g / ${1 + place}) % ${literals.length + (notNull ? 0 : 1)}]`;
  if (axis) return `"${axis}"`;
  if (name === 'tenant_id')
    return `(case when g % 100 = 0 then '${smallTenant}' when g % 10 < 7 then '${largeTenant}' else md5((g % 17)::text) end)::uuid`;
  if (name === 'id') return `id::${type}`;
  if (fixed[name] !== undefined) return pg.escapeLiteral(fixed[name]);
  if (name === 'document' || name === 'detail') return documentOf(Object.keys(axes));
  if (name === 'member_lines') return `format('"action"\n"%s"', repeat('x', 200))`;
  if (type === 'boolean') return oneOf(['true', 'false']);
  if (type === 'text') return oneOf([...values.map((value) => pg.escapeLiteral(value)), "'another'"]);
  if (type === 'text[]') return `array[${[...values, 'another'].map((value) => pg.escapeLiteral(value)).join(', ')}]`;
  if (type === 'bytea') return 'decode(id, $$hex$$)';
  if (type.startsWith('timestamp')) return notNull ? 'now()' : 'case when g % 5 = 0 then now() end';
  return '1';
}

/** As long as a short record, with id and times where documents of the log have them. */
const documentOf = (axes: readonly string[]): string =>
  `format('{"id":"%s",${axes
    .toReversed()
    .map((axis) => `"${axis}":"%s"`)
    .join(',')},"filler":"%s"}', id::uuid, ${axes
    .toReversed()
    .map((axis) => `to_char("${axis}" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
    .join(', ')}, repeat('x', 200))`;
