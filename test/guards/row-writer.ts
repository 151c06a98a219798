import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { serializeMembers } from '../installation/member-lines.ts';
import type { ListMapping } from './list-mapping.ts';

/** The columns of a table from the catalog. */
export interface Column {
  readonly name: string;
  /** As in SQL: `text`, `text[]`, `timestamp(3) with time zone`. */
  readonly type: string;
  readonly notNull: boolean;
}

/** The time axes of a row, by axis, epoch ms. */
export type Times = Readonly<Record<string, number>>;

export interface RowKey {
  readonly id: string;
  readonly times: Times;
}

/** Writes rows into the table of any list; the filter columns take the values of the filters in rotation. */
export interface RowWriter {
  readonly mapping: ListMapping;
  write(tenantId: string, rows: readonly RowKey[]): Promise<void>;
  /** An id of the table's type. Texts are as providers send them, in an order that only byte comparison defines. */
  id(number: number): string;
}

export async function readColumns(client: pg.Pool, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select attname as name, format_type(atttypid, atttypmod) as type, attnotnull as "notNull"
       from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table],
  );
  return rows;
}

export async function createRowWriter(client: pg.Pool, mapping: ListMapping): Promise<RowWriter> {
  const columns = await readColumns(client, mapping.table);
  const asUuid = columns.some(({ name, type }) => name === 'id' && type === 'uuid');
  let written = 0;
  return {
    mapping,
    id: (number) => (asUuid ? randomUUID() : `${oddIds[number % oddIds.length]}${number}-${randomUUID().slice(0, 8)}`),
    async write(tenantId, rows) {
      const records = rows.map((row) => recordOf(mapping, columns, tenantId, row, written++));
      const names = columns.map(({ name }) => `"${name}"`).join(', ');
      await client.query(
        `insert into ${mapping.table} (${names}) select ${names} from jsonb_populate_recordset(null::${mapping.table}, $1::jsonb)`,
        [JSON.stringify(records)],
      );
      if (mapping.table === 'models.audit_log')
        await client.query(
          `insert into models.log_identity (tenant_id, id, discovered_at)
           select tenant_id, id, discovered_at from jsonb_populate_recordset(null::${mapping.table}, $1::jsonb)`,
          [JSON.stringify(records)],
        );
    },
  };
}

/** Text columns that other code than lists parses as JSON. */
const jsonColumns = new Set(['steps']);

const oddIds = ['b', 'B', 'ä', "o'", 'a/b c', '%5F', '_', '"', 'https://x.test/?q=1&', '\\'];

function recordOf(
  { axes, fixed, filters }: ListMapping,
  columns: readonly Column[],
  tenantId: string,
  { id, times }: RowKey,
  number: number,
): Record<string, unknown> {
  const axisOf = new Map(Object.entries(axes).map(([axis, column]) => [column, axis]));
  const valuesOf = (column: string) =>
    Object.values(filters).flatMap((filter) => (filter.columns.includes(column) ? filter.values : []));
  const cellOf = ({ name, type, notNull }: Column, place: number): unknown => {
    const axis = axisOf.get(name);
    if (axis) return new Date(times[axis] ?? 0).toISOString();
    if (name === 'tenant_id') return tenantId;
    if (name === 'id') return id;
    if (fixed[name] !== undefined) return fixed[name];
    if (name === 'document' || name === 'detail') return documentOf(tenantId, id, times);
    if (name === 'member_lines') return serializeMembers({ action: tenantId });
    if (jsonColumns.has(name)) return '[]';
    // Columns step through their values at different rates, so that combinations differ too.
    const pick = <Value>(values: readonly Value[]) => values[Math.floor(number / (1 + (place % 3))) % values.length];
    const gap = notNull ? [] : [null];
    if (type === 'boolean') return pick([true, false, ...gap]);
    if (type === 'text') return pick([...valuesOf(name), 'another', ...gap]);
    if (type === 'text[]') return pick([valuesOf(name), valuesOf(name).slice(0, 1), [], ...gap]);
    if (type === 'bytea') return `\\x${number.toString(16).padStart(64, '0')}`;
    if (type.startsWith('timestamp')) return pick([...gap, '2026-11-01T00:00:00Z']);
    if (type === 'uuid') return randomUUID();
    return pick([...gap, 1, 0]);
  };
  return Object.fromEntries(columns.map((column, place) => [column.name, cellOf(column, place)]));
}

/** The tenant that a served record was written for: its own member, or the action of an event, whose tenantId is that of the request. */
export const readOwner = (record: { ownerTenantId?: string; action?: string }): string | undefined =>
  record.ownerTenantId ?? record.action;

/** Not a whole record, but with its tenant. */
function documentOf(tenantId: string, id: string, times: Times): string {
  const stamps = Object.entries(times).toReversed();
  return JSON.stringify({
    id,
    ...Object.fromEntries(stamps.map(([axis, ms]) => [axis, new Date(ms).toISOString()])),
    ownerTenantId: tenantId,
  });
}
