import pg from 'pg';
import { formatTimestamp } from '../../read/record-page.ts';
import type { EvidencePage, EvidencePosition, EvidenceQuery, OrderedRows } from './ordered.ts';

export interface SectionQuery {
  /** Queries that `rows` and `joins` name, each `name as (…)`. */
  readonly parts: readonly string[];
  /** Every row of the section, narrow: it is counted. */
  readonly rows: string;
  /**
   * What is looked up for the rows of the page alone, called `p` and numbered by `place`. What belongs to a row is best joined with all of
   * `page` at once: looked for row by row it costs their product.
   */
  readonly columns?: readonly string[];
  readonly joins?: readonly string[];
  /** Total. Text goes by bytes; nulls last either way. */
  readonly order: readonly SortKey[];
}

export interface SortKey {
  readonly column: string;
  /** A time is epoch milliseconds in the column and text in a position. */
  readonly type: 'text' | 'number' | 'time';
  readonly isDescending?: boolean;
}

/**
 * One page of a section whose rows are narrow to count and wide to show. Documents that are served are read as `json`, never as `jsonb`: producers may
 * send numbers that no `numeric` holds, and one of them would cost the tenant its pack.
 */
export async function readSectionRows<Row extends object>(
  { client }: EvidenceQuery,
  query: SectionQuery,
  page: EvidencePage,
): Promise<OrderedRows<Row>> {
  const { parts, order, columns = [], joins = [] } = query;
  // Only the rows of the page are sorted; all others are only counted.
  const inOrder = order.map((key) => `s.${sorting(key)}`).join(', ');
  const section = `with ${[...parts, `section as (${query.rows})`].join(',\n')}`;
  const isBeyond = page.after === null ? 'true' : isAfter(order, page.after);
  await planInBulk(client);
  if (page.limit === 0) {
    const counted = await client.query<{ totalRowCount: number }>(
      `${section} select count(*)::int as "totalRowCount" from section s where ${isBeyond}`,
    );
    return { rows: [], totalRowCount: counted.rows[0]?.totalRowCount ?? 0 };
  }
  const { rows } = await client.query<Row & { totalRowCount: number }>(
    `${section},
     found as materialized (select s.* from section s where ${isBeyond}),
     page as materialized (
       select s.*, (select count(*) from found)::int as "totalRowCount", (row_number() over (order by ${inOrder}))::int as place
         from (select s.* from found s order by ${inOrder} limit ${Math.trunc(page.limit)}) s)
     select ${['p.*', ...columns].join(', ')} from page p ${joins.join('\n')}
      order by p.place`,
  );
  return { rows, totalRowCount: rows[0]?.totalRowCount ?? 0 };
}

/**
 * Applies until the end of the transaction. The planner estimates a CTE at a row or two and would join ten thousand rows with ten thousand by nested
 * loops: seconds, where a hash join takes milliseconds. With nested loops off it uses them only where there is no alternative, for lateral subqueries with
 * a limit: these look up a few rows by key, which has to be a column, since behind row-level security an expression does not use an index. work_mem keeps a
 * hundred thousand file names and two hundred thousand permissions off the disk.
 */
export async function planInBulk(client: EvidenceQuery['client']): Promise<void> {
  await client.query("set local enable_nestloop = off; set local work_mem = '64MB'");
}

function sorting({ column, type, isDescending }: SortKey): string {
  return `"${column}"${type === 'text' ? ' collate "C"' : ''} ${isDescending ? 'desc' : 'asc'} nulls last`;
}

/** Row comparison cannot mix directions or put nulls last: one alternative for each key that may differ first. */
function isAfter(order: readonly SortKey[], position: EvidencePosition): string {
  const alternatives = order.flatMap((key, index) => {
    const value = position[index] ?? null;
    if (value === null) return [];
    const column = `s."${key.column}"`;
    const beyond = `${column} ${key.isDescending ? '<' : '>'} ${literal(key, value)} or ${column} is null`;
    const equal = order.slice(0, index).map((before, at) => isSame(before, position[at] ?? null));
    return `(${[...equal, `(${beyond})`].join(' and ')})`;
  });
  return alternatives.length === 0 ? 'false' : `(${alternatives.join(' or ')})`;
}

function isSame(key: SortKey, value: EvidencePosition[number]): string {
  return value === null ? `s."${key.column}" is null` : `s."${key.column}" = ${literal(key, value)}`;
}

function literal({ type }: SortKey, value: string | number | boolean): string {
  if (type === 'text') return `${pg.escapeLiteral(String(value))} collate "C"`;
  return `${type === 'time' ? Date.parse(String(value)) : Number(value)}::float8`;
}

/** The query's bounds as SQL literals in the text, so that the planner can use them. */
export function bounds({ tenantId, fromMs, toMs, storedThroughMs }: EvidenceQuery) {
  return {
    tenant: `${pg.escapeLiteral(tenantId)}::uuid`,
    from: timestampLiteral(fromMs),
    to: timestampLiteral(toMs),
    storedThrough: timestampLiteral(storedThroughMs),
  };
}

/**
 * Whether the mutable record `r` existed at that time. If it changed since, its current state is shown: earlier states are not stored, and a
 * continued section must not lose the record.
 */
export function wasFirstSeen(storedThrough: string): string {
  return `least(r.first_seen_at, r.updated_at) <= ${storedThrough}`;
}

const timestampLiteral = (ms: number): string => `'${formatTimestamp(ms)}'::timestamptz`;

/** A time as epoch milliseconds: exact, since times are kept to the millisecond, and a sort key as it is. */
export function epochMilliseconds(expression: string): string {
  return `(extract(epoch from ${expression}) * 1000)::float8`;
}

/**
 * A time from a member without a schema; null where it is invalid. Words such as "now", which the server would accept as a time, are invalid.
 * The conditions are nested because only nesting guarantees their order of evaluation.
 */
export function parseReportedTime(expression: string): string {
  const months = `(substr(${expression}, 1, 7) || '-01')::date`;
  const lastDay = `extract(day from ${months} + interval '1 month' - interval '1 day')`;
  return `(case when ${expression} ~ '${timeForm}' then
    case when substr(${expression}, 9, 2)::int <= ${lastDay} then (${expression})::timestamptz(3) end end)`;
}

/** RFC 3339 with a zone, of the years 1000 to 9999. The last day of the month is checked separately. */
const timeForm =
  '^[1-9]\\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])[Tt]([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?([Zz]|[+-](0\\d|1[0-4]):[0-5]\\d)$';
