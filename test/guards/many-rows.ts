import pg from 'pg';
import type { AskedList } from './asked.ts';
import { type Column, columnsOf } from './rows.ts';

export interface ManyRows {
  /** Has seven rows of ten. */
  readonly largeTenant: string;
  /** Has one row of a hundred. */
  readonly smallTenant: string;
  readonly count: number;
  /** All axes of all rows lie between them, evenly, each in an order of its own. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Fills a list's table inside the server, without statistics: `analyze` is for the caller. */
export async function writeMany(client: pg.Pool, asked: AskedList, rows: ManyRows): Promise<void> {
  const columns = await columnsOf(client, asked.table);
  const expressions = columns.map((column, place) => expressionOf(asked, column, place, rows));
  await client.query(
    `insert into ${asked.table} (${columns.map(({ name }) => `"${name}"`).join(', ')})
     select ${expressions.join(', ')}
       from (select g, md5(g::text) as id, ${Object.keys(asked.axes)
         .map((axis, place) => `${momentOf(rows, place)} as "${axis}"`)
         .join(', ')} from generate_series(1, ${rows.count}) g) made`,
  );
}

/** Strides that share no divisor with the counts: each visits every place once. */
const strides = [7_919, 104_729, 1_299_709];

const momentOf = ({ fromMs, toMs, count }: ManyRows, place: number): string =>
  `to_timestamp((${fromMs} + floor(((g::bigint * ${strides[place % strides.length]}) % ${count}) * ${(toMs - fromMs) / count}::float8)) / 1000.0)`;

function expressionOf(
  { axes, fixed, filters }: AskedList,
  { name, type, notNull }: Column,
  place: number,
  { largeTenant, smallTenant }: ManyRows,
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
  if (type === 'boolean') return oneOf(['true', 'false']);
  if (type === 'text') return oneOf([...values.map((value) => pg.escapeLiteral(value)), "'another'"]);
  if (type === 'text[]') return `array[${[...values, 'another'].map((value) => pg.escapeLiteral(value)).join(', ')}]`;
  if (type === 'bytea') return 'decode(id, $$hex$$)';
  if (type.startsWith('timestamp')) return notNull ? 'now()' : 'case when g % 5 = 0 then now() end';
  return '1';
}

/** As long as a short record, with id and times where the log's documents have them. */
const documentOf = (axes: readonly string[]): string =>
  `format('{"id":"%s",${axes
    .toReversed()
    .map((axis) => `"${axis}":"%s"`)
    .join(',')},"filler":"%s"}', id::uuid, ${axes
    .toReversed()
    .map((axis) => `to_char("${axis}" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
    .join(', ')}, repeat('x', 200))`;
