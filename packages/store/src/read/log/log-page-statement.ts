import { type LogsFilterName, listLogs, readAddress } from '@tenantscope/contract';
import pg from 'pg';
import type { StatementRunner } from '../../connection/read-snapshot.ts';
import { isBeyond, type PagePosition, type RowPosition, timestampLiteral } from '../record-page.ts';
import { documentColumns } from './log-document.ts';

export interface LogsPageQuery {
  tenantId: string;
  sort: 'discoveredAtAsc' | 'discoveredAtDesc';
  /** Closed window on discoveredAt; `toMs` is at or below the watermark read before. */
  discovered: { fromMs: number | null; toMs: number };
  /** Closed window on occurredAt: a filter. */
  occurred: { fromMs: number | null; toMs: number | null };
  /** OR inside a list, AND across. */
  filters: LogsFilterValues;
  /** One of these filters must match as well. */
  anyOf?: LogsFilterValues;
  /** Where the page begins, or null at the start. */
  after: PagePosition | null;
  limit: number;
  /** A page whose documents would be longer ends before its limit, with one row at least and with `hasMore`. By default it goes on. */
  maxBytes?: number;
  /** Of a filtered page: after so many rows that may match, a page that has a row ends before its limit, with `hasMore`. By default it goes on. */
  examinedRowsMax?: number;
  /** The server ends the statement after this time: QueryTimedOut. */
  timeoutMs: number;
  /** Cancels the statement when it aborts. */
  signal?: AbortSignal;
  /** Runs the statement. While it is paced, the window is read in parts by several statements, which rest in between. */
  runStatement?: StatementRunner;
}

export type LogsFilterValues = {
  readonly [Name in LogsFilterName]?: readonly (Name extends 'isManagedDevice' ? boolean : string)[] | undefined;
};

/** The column that each filter of the log compares. */
export const logFilterColumns: Readonly<Record<LogsFilterName, string>> = {
  severity: 'severity',
  action: 'action',
  actorId: 'actor_id',
  actorType: 'actor_type',
  actorIp: 'actor_ip',
  resourceId: 'resource_id',
  resourceType: 'resource_type',
  workload: 'workload',
  sourceType: 'source_type',
  clientApp: 'client_app',
  deviceId: 'device_id',
  isManagedDevice: 'is_managed_device',
  applicationId: 'application_id',
  externalEventId: 'external_event_id',
  outcome: 'outcome',
  errorCode: 'error_code',
  sessionId: 'session_id',
  correlationId: 'correlation_id',
  targetId: 'resource_id',
  user: 'actor_id',
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * One simple query, so one round trip and one implicit transaction: the tenant for row-level security, then the page.
 * COPY takes no bind values: each value here was parsed into a UUID, a number, a boolean, or is quoted as a literal.
 *
 * @param above only rows after this position, in either sort
 */
export function logsPageStatement(query: LogsPageQuery, above: RowPosition | null = null): string {
  const beyond = above ? [`log.discovered_at >= ${timestampLiteral(above.atMs)}`, compareRow('>', above)] : [];
  return logSettings(query) + copyOut(selectRows(query, beyond));
}

/** Consecutive rows, both ends included. */
export interface RowRange {
  readonly first: RowPosition;
  readonly last: RowPosition;
}

/** The rows of the page that lie in these ranges, which are in the order of the sort. Of each range only as many rows are read as the page takes. */
export function logsRangesStatement(query: LogsPageQuery, ranges: readonly RowRange[]): string {
  const parts = ranges.map(({ first, last }) =>
    selectRows(query, [
      `log.discovered_at >= ${timestampLiteral(first.atMs)}`,
      `log.discovered_at <= ${timestampLiteral(last.atMs)}`,
      compareRow('>=', first),
      compareRow('<=', last),
    ]),
  );
  if (parts.length === 1) return logSettings(query) + copyOut(parts[0] as string);
  const all = parts.map((part) => `(${part})`).join(' union all ');
  return logSettings(query) + copyOut(`select * from (${all}) log${orderAndLimit(query)}`);
}

/** The beginning of every statement: the tenant for row-level security, and the time limit. */
export function settings({ tenantId, timeoutMs }: Pick<LogsPageQuery, 'tenantId' | 'timeoutMs'>): string {
  if (!uuid.test(tenantId)) throw new TypeError('a tenant id is a GUID in lower case');
  return `select set_config('tenantscope.tenant', '${tenantId}', true), set_config('statement_timeout', '${Math.ceil(timeoutMs)}', true);`;
}

/** The same before what depends on it where sealed history ends. The last column is that instant, epoch ms, until the end of the transaction. */
export const logSettings = (query: Pick<LogsPageQuery, 'tenantId' | 'timeoutMs'>): string =>
  settings(query).replace(/;$/, ', models.lock_sealed_before() as sealed_ms;');

export const copyOut = (select: string): string => `copy (${select}) to stdout (format binary)`;

function selectRows(query: LogsPageQuery, within: readonly string[]): string {
  const columns = documentColumns.replace(/\w+/g, 'log.$&');
  return `select ${columns} from models.audit_log log where ${matchRows(query, within)}${orderAndLimit(query)}`;
}

/** SQL: the row `log` is one of the query and meets further conditions. */
export const matchRows = (query: LogsPageQuery, within: readonly string[]): string =>
  [`log.tenant_id = '${query.tenantId}'`, rowConditions(query), ...within].join(' and ');

/** SQL: what the window, the position and the filters say of a row `log` of the tenant. */
export function rowConditions(query: LogsPageQuery): string {
  const where = [
    `log.discovered_at <= ${timestampLiteral(upperMs(query))}`,
    ...(lowerMs(query) === null ? [] : [`log.discovered_at >= ${timestampLiteral(lowerMs(query) as number)}`]),
    ...(query.after
      ? [isBeyond('log.discovered_at', 'log.id', isAscending(query) ? '>' : '<', query.after, quoteLogId)]
      : []),
    ...(query.occurred.fromMs === null ? [] : [`log.occurred_at >= ${timestampLiteral(query.occurred.fromMs)}`]),
    ...(query.occurred.toMs === null ? [] : [`log.occurred_at <= ${timestampLiteral(query.occurred.toMs)}`]),
    ...conditions(query.filters),
    ...anyCondition(query.anyOf),
  ];
  return where.join(' and ');
}

function orderAndLimit(query: LogsPageQuery): string {
  const direction = isAscending(query) ? 'asc' : 'desc';
  return ` order by log.discovered_at ${direction}, log.id ${direction} limit ${Math.trunc(query.limit) + 1}`;
}

export const compareRow = (operator: '>' | '>=' | '<=', { atMs, id }: RowPosition): string =>
  `(log.discovered_at, log.id) ${operator} (${timestampLiteral(atMs)}, ${quoteLogId(id)})`;

export const isAscending = ({ sort }: Pick<LogsPageQuery, 'sort'>): boolean => sort === 'discoveredAtAsc';

// The row comparison alone does not prune partitions; the plain bound next to it does.
export const lowerMs = (query: LogsPageQuery): number | null =>
  query.sort === 'discoveredAtAsc' && query.after
    ? Math.max(query.after.atMs, query.discovered.fromMs ?? query.after.atMs)
    : query.discovered.fromMs;

export const upperMs = (query: LogsPageQuery): number =>
  query.sort === 'discoveredAtDesc' && query.after
    ? Math.min(query.after.atMs, query.discovered.toMs)
    : query.discovered.toMs;

export function quoteLogId(id: string): string {
  if (!uuid.test(id)) throw new TypeError('a log id is a GUID in lower case');
  return `'${id}'::uuid`;
}

const conditions = (filters: LogsFilterValues): string[] =>
  Object.entries(filters).flatMap(([name, values]) => condition(name as LogsFilterName, values));

function anyCondition(alternatives: LogsFilterValues = {}): string[] {
  const any = conditions(alternatives);
  return any.length === 0 ? [] : [`(${any.join(' or ')})`];
}

function condition(name: LogsFilterName, values: readonly (string | boolean)[] | undefined): string[] {
  if (!values) return [];
  if (name === 'user') return [matchActor(values as readonly string[])];
  const literals = values.map((value) => {
    const stored = toStoredValue(name, value);
    return typeof stored === 'boolean' ? String(stored) : pg.escapeLiteral(stored);
  });
  const isListed = `log.${logFilterColumns[name]} in (${literals.join(', ')})`;
  return [name === 'targetId' ? `(${isListed} or log.target_ids && array[${literals.join(', ')}]::text[])` : isListed];
}

/**
 * Columns whose filter ignores the case are in lower case, addresses in canonical form. Names of `user` are in that of the collation already, which leaves letters such as Ż as
 * they are: their tokens are of these bytes.
 */
export function toStoredValue(name: LogsFilterName, value: string | boolean): string | boolean {
  if (name === 'user') return value;
  const filter = listLogs.filters[name];
  if (filter.kind !== 'texts' || typeof value !== 'string') return value;
  if (filter.isAddress) return readAddress(value) ?? value;
  return filter.caseInsensitive ? value.toLowerCase() : value;
}

/** @param names in the lower case of the column's collation, as `readPrincipalNames` returns them */
function matchActor(names: readonly string[]): string {
  const list = names.map((name) => pg.escapeLiteral(name)).join(', ');
  return `(lower(log.actor_id) in (${list}) or lower(log.actor_user_id) in (${list}))`;
}
