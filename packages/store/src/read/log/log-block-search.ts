import type { LogsFilterName } from '@tenantscope/contract';
import { listTokenBits } from '../../resource/token-filter.ts';
import { isBeyond, type RowPosition, timestampLiteral } from '../record-page.ts';
import {
  isAscending,
  type LogsPageQuery,
  logFilterColumns,
  logSettings,
  lowerMs,
  quoteLogId,
  type RowRange,
  toStoredValue,
  upperMs,
} from './log-page-statement.ts';

/** A block that may have rows of the page. */
export interface CandidateBlock extends RowRange {
  /** Blocks of a tenant are numbered in the order of their rows. */
  readonly number: number;
  readonly rows: number;
}

/** A row of either statement. */
export interface BlockRow {
  number: number;
  rows: number;
  first_ms: number;
  first_id: string;
  last_ms: number;
  last_id: string;
}

export const toCandidate = (row: BlockRow): CandidateBlock => ({
  number: row.number,
  rows: row.rows,
  first: { atMs: row.first_ms, id: row.first_id },
  last: { atMs: row.last_ms, id: row.last_id },
});

/**
 * A filter of more values is left to the rows. In blocks of 750,000 rows, testing 100 names took 0.2 s, 300 0.75 s and 1,000 5 to 8 s, as long as
 * reading the rows.
 */
const valuesMax = 300;

const isTested = (values: readonly unknown[] | undefined): values is readonly (string | boolean)[] =>
  values !== undefined && values.length <= valuesMax;

/** Whether blocks can tell which rows the page cannot have. */
export const isFiltered = ({ filters, anyOf, occurred }: LogsPageQuery): boolean =>
  occurred.fromMs !== null ||
  occurred.toMs !== null ||
  Object.values(filters).some(isTested) ||
  mayHaveAny(anyOf).length > 0;

/** Whether rows have more to fulfil than to lie in the window. */
export const hasConditions = ({ filters, anyOf = {}, occurred }: LogsPageQuery): boolean =>
  occurred.fromMs !== null ||
  occurred.toMs !== null ||
  [...Object.values(filters), ...Object.values(anyOf)].some((values) => values !== undefined);

const columns =
  'b.number, b.row_count as rows, (extract(epoch from b.first_at) * 1000)::float8 as first_ms, b.first_id,' +
  ' (extract(epoch from b.last_at) * 1000)::float8 as last_ms, b.last_id';

/** The newest block of the tenant: all rows up to its end are in blocks. */
export const selectNewestBlock = ({ tenantId }: Pick<LogsPageQuery, 'tenantId'>): string =>
  `select ${columns} from models.log_block b where b.tenant_id = '${tenantId}'` +
  ' order by b.first_at desc, b.first_id desc limit 1';

export const newestBlockStatement = (query: LogsPageQuery): string => logSettings(query) + selectNewestBlock(query);

export interface BlockSearch {
  /** Blocks that begin later are left out: their rows are read as rows without a block. */
  readonly upTo: RowPosition;
  /** The last block of the search before, or null. */
  readonly beyond: CandidateBlock | null;
  readonly limit: number;
}

/** The next blocks in the order of the page that may have rows of it. */
export const blockSearchStatement = (query: LogsPageQuery, search: BlockSearch): string =>
  logSettings(query) + selectBlocks(query, search, columns);

/** @param selected columns of the block `b` */
export function selectBlocks(query: LogsPageQuery, { upTo, beyond, limit }: BlockSearch, selected: string): string {
  const ascending = isAscending(query);
  const [from, to] = [lowerMs(query), upperMs(query)];
  const { after, occurred } = query;
  const isAfter = (edge: 'first' | 'last', operator: '>' | '<', position: Parameters<typeof isBeyond>[3]) =>
    isBeyond(`b.${edge}_at`, `b.${edge}_id`, operator, position, quoteLogId);
  const where = [
    `b.tenant_id = '${query.tenantId}'`,
    `b.first_at <= ${timestampLiteral(to)}`,
    ...(from === null ? [] : [`b.last_at >= ${timestampLiteral(from)}`, startOfSearch(query.tenantId, from)]),
    // PostgreSQL 15 would begin the search there even where the window or the block before lies beyond: 77 buffers instead of less than 30.
    ...(upTo.atMs > to || (beyond && !ascending)
      ? []
      : [`(b.first_at, b.first_id) <= (${timestampLiteral(upTo.atMs)}, ${quoteLogId(upTo.id)})`]),
    ...(after ? [ascending ? isAfter('last', '>', after) : isAfter('first', '<', after)] : []),
    ...(beyond ? [isAfter('first', ascending ? '>' : '<', beyond.first)] : []),
    ...(occurred.fromMs === null ? [] : [`b.latest_occurred_at >= ${timestampLiteral(occurred.fromMs)}`]),
    ...(occurred.toMs === null ? [] : [`b.earliest_occurred_at <= ${timestampLiteral(occurred.toMs)}`]),
    ...Object.entries(query.filters).flatMap(([name, values]) =>
      isTested(values) ? [mayHaveOne(name as LogsFilterName, values)] : [],
    ),
    ...mayHaveAny(query.anyOf),
  ];
  const direction = ascending ? 'asc' : 'desc';
  return (
    `select ${selected} from models.log_block b where ${where.join(' and ')}` +
    ` order by b.first_at ${direction}, b.first_id ${direction} limit ${Math.trunc(limit)}`
  );
}

/**
 * The index is on the first rows: the search starts at the newest block that begins before the window, since that may reach into it. With coalesce
 * outside of the subquery the condition of row-level security would precede it, and all blocks before the window would be read.
 */
const startOfSearch = (tenantId: string, fromMs: number): string =>
  `b.first_at >= (select coalesce(max(s.first_at), '-infinity') from models.log_block s where s.tenant_id = '${tenantId}'` +
  ` and s.first_at < ${timestampLiteral(fromMs)})`;

/** One alternative that is not tested leaves all to the rows. */
function mayHaveAny(alternatives: LogsPageQuery['anyOf'] = {}): string[] {
  const given = Object.entries(alternatives).filter(([, values]) => values !== undefined);
  if (given.length === 0 || !given.every(([, values]) => isTested(values))) return [];
  return [`(${given.map(([name, values]) => mayHaveOne(name as LogsFilterName, values ?? [])).join(' or ')})`];
}

/** The bits of a value that no row has are rarely all set; most values are ruled out by their first or second bit. */
function mayHaveOne(name: LogsFilterName, values: readonly (string | boolean)[]): string {
  const columns = name === 'targetId' ? ['resource_id', 'target_ids'] : [logFilterColumns[name]];
  const tokens = values.flatMap((value) =>
    columns.map((column) => {
      const bits = listTokenBits(column, toStoredValue(name, value));
      return bits.map((bit) => `get_bit(b.tokens, ${bit}) = 1`).join(' and ');
    }),
  );
  return `(${tokens.join(' or ')})`;
}

/** Neighbouring blocks as one range, in the order of the blocks. */
export function joinBlocks(blocks: readonly CandidateBlock[], ascending: boolean): RowRange[] {
  const step = ascending ? 1 : -1;
  const ranges: { first: RowPosition; last: RowPosition }[] = [];
  for (const [index, { number, first, last }] of blocks.entries()) {
    const range = ranges.at(-1);
    if (!range || blocks[index - 1]?.number !== number - step) ranges.push({ first, last });
    else if (ascending) range.last = last;
    else range.first = first;
  }
  return ranges;
}
