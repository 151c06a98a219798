import { earliestTimeMs, formatTime } from '@tenantscope/contract';
import pg from 'pg';
import { withCancellableConnection } from '../connection/pool.ts';
import type { Condition, Resource } from '../resource/resource.ts';
import { boundedDocuments } from './bounded-documents.ts';
import type { SealedBody } from './gzip-pieces.ts';
import type { ReadModels } from './read-models.ts';

/** The position of a row: its time on the axis and its id. */
export interface RowPosition {
  readonly atMs: number;
  readonly id: string;
}

/** A position between rows: after the row with this time and id, or after all rows of that millisecond where the id is null. */
export interface PagePosition {
  readonly atMs: number;
  readonly id: string | null;
}

/** Common to all queries of one tenant. */
export interface TenantQuery {
  readonly tenantId: string;
  /** The server ends the statement after this time: QueryTimedOut. */
  readonly timeoutMs: number;
  /** Cancels the statement when it aborts: its reason is thrown. */
  readonly signal?: AbortSignal;
}

export interface RecordPageQuery extends TenantQuery {
  /** The axis that orders the rows; ids break ties. */
  axis: string;
  ascending: boolean;
  /** Closed windows by axis, epoch ms; null is open. */
  windows: Readonly<Record<string, { fromMs: number | null; toMs: number | null }>>;
  filters: Readonly<Record<string, readonly (string | boolean)[] | undefined>>;
  after: PagePosition | null;
  limit: number;
  /** Documents of a page are together at most this long, but for a page of one. */
  maxBytes: number;
}

export interface RecordPage {
  count: number;
  hasMore: boolean;
  last: RowPosition | null;
  /** The response body: `{"data":[…]` and then `tail`. */
  close(tail: string): Buffer | SealedBody;
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A row of a page; its document is null where it is too long for the page. */
export interface DocumentRow {
  readonly document: string | null;
  readonly at_ms: number;
  readonly id: string;
}

/**
 * One page of mutable records, by keyset. Throws StoreUnavailable or QueryTimedOut.
 *
 * Lengths are summed up only where a document is longer than its share of the page: on a page of 1,000 rows of 1 kB the sum took 0.5 of 1.6 ms, the
 * comparison nothing that can be measured.
 */
export async function readRecordPage(
  models: ReadModels,
  resource: Resource,
  query: RecordPageQuery,
): Promise<RecordPage> {
  const read = (statement: string) => queryTenant<DocumentRow>(models, query, statement);
  const rows = await read(recordPageStatement(resource, query));
  const isComplete = rows.slice(0, query.limit).every(({ document }) => document !== null);
  return toRecordPage(isComplete ? rows : await read(boundedPageStatement(resource, query)), query.limit);
}

/** @param found the rows of the page and the one after the limit */
export function toRecordPage(found: readonly DocumentRow[], limit: number): RecordPage {
  const rows = found.slice(0, limit).filter(({ document }) => document !== null);
  const last = rows.at(-1);
  return {
    count: rows.length,
    hasMore: rows.length < found.length,
    last: last ? { atMs: last.at_ms, id: last.id } : null,
    close: (tail) => Buffer.from(`{"data":[${rows.map((row) => row.document).join(',')}]${tail}`),
  };
}

function recordPageStatement(resource: Resource, query: RecordPageQuery): string {
  const { axis, direction, rows } = pageParts(resource, query);
  const documentMaxBytes = Math.floor(query.maxBytes / query.limit);
  return (
    `select case when octet_length(r.document) <= ${documentMaxBytes} then r.document end as document, (extract(epoch from r.${axis}) * 1000)::float8 as at_ms, r.id` +
    ` from ${rows} order by r.${axis} ${direction}, r.id ${direction} limit ${Math.trunc(query.limit) + 1}`
  );
}

function boundedPageStatement(resource: Resource, query: RecordPageQuery): string {
  const { axis, direction, rows } = pageParts(resource, query);
  return boundedDocuments(rows, { columns: [axis, 'id'], direction, limit: query.limit, maxBytes: query.maxBytes });
}

function pageParts(resource: Resource, query: RecordPageQuery) {
  const axis = axisColumn(resource, query.axis);
  const [beyond, direction] = query.ascending ? (['>', 'asc'] as const) : (['<', 'desc'] as const);
  const where = [
    `r.tenant_id = '${query.tenantId}'`,
    ...Object.entries(query.windows).flatMap(([name, { fromMs, toMs }]) => {
      const column = axisColumn(resource, name);
      return [
        ...(fromMs === null ? [] : [`r.${column} >= ${timestampLiteral(fromMs)}`]),
        ...(toMs === null ? [] : [`r.${column} <= ${timestampLiteral(toMs)}`]),
      ];
    }),
    ...(query.after
      ? [isBeyond(`r.${axis}`, 'r.id', beyond, query.after, (id) => `${pg.escapeLiteral(id)} collate "C"`)]
      : []),
    ...filterConditions(resource, query.filters),
  ];
  return { axis, direction, rows: `${resource.table} r where ${where.join(' and ')}` };
}

/** SQL: the row lies beyond the position in the order of the page. */
export const isBeyond = (
  axis: string,
  id: string,
  beyond: '>' | '<',
  position: PagePosition,
  idLiteral: (id: string) => string,
): string =>
  position.id === null
    ? `${axis} ${beyond} ${timestampLiteral(position.atMs)}`
    : `(${axis}, ${id}) ${beyond} (${timestampLiteral(position.atMs)}, ${idLiteral(position.id)})`;

/** The types of values and conditions were checked where the resource was declared. */
function filterConditions(resource: Resource, filters: RecordPageQuery['filters']): string[] {
  const conditions = resource.conditions as Readonly<Record<string, Condition<never>>>;
  return Object.entries(conditions).flatMap(([name, condition]) => condition(filters[name] as never) ?? []);
}

/** The by-id document as stored, as JSON text; null when this tenant has no such record under that id or any of its other names. */
export async function readRecord(
  models: ReadModels,
  resource: Resource,
  query: TenantQuery & { id: string },
): Promise<string | null> {
  // PostgreSQL text cannot contain NUL, and a statement would end at it.
  if (query.id.includes('\0')) return null;
  const id = pg.escapeLiteral(query.id);
  const tenant = `r.tenant_id = '${query.tenantId}'`;
  const { aliases } = resource;
  const byId = (rank: number, condition: string) =>
    `select coalesce(r.detail, r.document) as document, ${rank} as rank, r.id from ${resource.table} r where ${tenant} and r.id = ${id}${condition}`;
  const byAlias = (table: string, kind: string, rank: number, condition: string) =>
    `select coalesce(r.detail, r.document), ${rank}, r.id from ${table} a join ${resource.table} r on r.tenant_id = a.tenant_id and r.id = a.id
      where a.tenant_id = '${query.tenantId}' and ${tenant} and a.kind = ${pg.escapeLiteral(kind)} and a.alias = ${pg.escapeLiteral(query.id.toLowerCase())}${condition}`;
  // An alias that several entities had belongs to the one that still exists, and so does the id of one that turned out to be another.
  const candidates = !aliases
    ? [byId(1, '')]
    : [' and not r.is_deleted', ' and r.is_deleted'].flatMap((condition, index) => [
        byId(1 + 2 * index, condition),
        byAlias(aliases.table, aliases.kind, 2 + 2 * index, condition),
      ]);
  const rows = await queryTenant<{ document: string }>(
    models,
    query,
    `${candidates.join(' union all ')} order by rank, id limit 1`,
  );
  return rows[0]?.document ?? null;
}

/** Sets the tenant for row-level security and runs the statement in one simple query: one round trip, one implicit transaction, nothing to reset. */
export async function queryTenant<Row extends pg.QueryResultRow>(
  models: ReadModels,
  { tenantId, timeoutMs, signal }: TenantQuery,
  statement: string,
): Promise<Row[]> {
  if (!guid.test(tenantId)) throw new TypeError('a tenant id is a GUID in lower case');
  const results = await withCancellableConnection(models.poolFor(tenantId), signal, (client) =>
    client.query(
      `select set_config('tenantscope.tenant', '${tenantId}', true), set_config('statement_timeout', '${Math.ceil(timeoutMs)}', true);${statement}`,
    ),
  );
  return (results as unknown as pg.QueryResult<Row>[])[1]?.rows ?? [];
}

function axisColumn(resource: Resource, name: string): string {
  const column = (resource.axes as Readonly<Record<string, string>>)[name];
  if (!column) throw new TypeError(`${resource.table} has no axis ${name}`);
  return column;
}

/** Times before the year 1, which PostgreSQL does not read as ISO 8601, precede all rows. */
export const formatTimestamp = (ms: number): string => (ms < earliestTimeMs ? '-infinity' : formatTime(ms));

export const timestampLiteral = (ms: number): string => `'${formatTimestamp(ms)}'::timestamptz(3)`;
