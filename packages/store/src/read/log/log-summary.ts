import type { SummaryKey } from '@tenantscope/contract';
import type pg from 'pg';
import { withReadSnapshot } from '../../connection/read-snapshot.ts';
import { selectSealedRows } from '../../resource/sealed-columns.ts';
import type { ReadModels } from '../read-models.ts';
import { timestampLiteral } from '../record-page.ts';
import {
  type BlockRow,
  type BlockSearch,
  type CandidateBlock,
  selectBlocks,
  selectNewestBlock,
  toCandidate,
} from './log-block-search.ts';
import { compareRow, type LogsPageQuery, matchRows, rowConditions } from './log-page-statement.ts';
import { sqlOf, summaryColumns } from './log-summary-columns.ts';

export interface LogSummaryQuery
  extends Omit<LogsPageQuery, 'sort' | 'after' | 'limit' | 'maxBytes' | 'examinedRowsMax' | 'anyOf'> {
  readonly by: readonly SummaryKey[];
  /** Groups that are returned. */
  readonly groupsMax: number;
  /** Rows that may match; a window of more is not read. */
  readonly rowsMax: number;
}

export interface LogSummaryGroup {
  readonly values: Readonly<Record<string, string | null>>;
  readonly rowCount: number;
}

export type LogSummaryCounts =
  | { readonly kind: 'counted'; groups: readonly LogSummaryGroup[]; rowCount: number; groupCount: number }
  /** `fitsFromMs`: the same window from this time on has no more than the most. */
  | { readonly kind: 'tooLarge'; readonly fitsFromMs: number };

/** Blocks that a summary reads: one may have few rows of many values. */
const blocksMax = 4_000;

/**
 * Counts the rows of a window by their values. Which blocks may have such rows, and how many rows they have, is known before a row is read.
 * Throws StoreUnavailable, QueryTimedOut or the reason of the aborted signal.
 */
export function readLogSummary(models: Pick<ReadModels, 'poolFor'>, query: LogSummaryQuery): Promise<LogSummaryCounts> {
  const { tenantId, timeoutMs, signal, runStatement } = query;
  const rows: LogsPageQuery = { ...query, sort: 'discoveredAtDesc', after: null, limit: query.rowsMax };
  return withReadSnapshot(
    models.poolFor(tenantId),
    tenantId,
    async (client) => {
      const [found] = (await client.query<BlockRow>(selectNewestBlock(rows))).rows;
      const newest = found ? toCandidate(found) : null;
      const fitsFromMs = await findExcess(client, rows, newest);
      return fitsFromMs === null ? countGroups(client, rows, query, newest) : { kind: 'tooLarge', fitsFromMs };
    },
    { timeoutMs, ...(signal && { signal }), ...(runStatement && { runStatement }) },
  );
}

/** Null if no more rows than the most may match, else the time from which on that is so. */
async function findExcess(
  client: pg.PoolClient,
  rows: LogsPageQuery,
  newest: CandidateBlock | null,
): Promise<number | null> {
  const { amount, excluded_ms: tail } = await readOne(
    client,
    // The time of the first row beyond the most.
    `select least(count(*), ${rows.limit})::int as amount, (extract(epoch from min(r.discovered_at) filter (where r.place > ${rows.limit})) * 1000)::float8 as excluded_ms
       from (select log.discovered_at, row_number() over (order by log.discovered_at desc, log.id desc) as place
               from models.audit_log log where ${matchRows({ ...rows, filters: {}, occurred: unbounded }, aboveBlocks(newest))}
              order by log.discovered_at desc, log.id desc limit ${rows.limit + 1}) r`,
  );
  if (tail !== null) return tail + 1;
  if (newest === null) return null;
  const blocks = selectBlocks(rows, searchAll(newest), 'b.number, b.row_count, b.last_at');
  const { excluded_ms } = await readOne(
    client,
    `select (extract(epoch from max(c.last_at) filter (where c.place > ${blocksMax} or c.amount > ${rows.limit - amount})) * 1000)::float8 as excluded_ms, 0 as amount
       from (select b.last_at, row_number() over w as place, sum(b.row_count) over w as amount from (${blocks}) b
             window w as (order by b.number desc rows unbounded preceding)) c`,
  );
  return excluded_ms === null ? null : excluded_ms + 1;
}

const unbounded = { fromMs: null, toMs: null };
const searchAll = (newest: CandidateBlock): BlockSearch => ({ upTo: newest.first, beyond: null, limit: blocksMax + 1 });

async function readOne(
  client: pg.PoolClient,
  statement: string,
): Promise<{ amount: number; excluded_ms: number | null }> {
  const { rows } = await client.query<{ amount: number; excluded_ms: number | null }>(statement);
  const [row] = rows;
  if (!row) throw new TypeError('an aggregate returned no row');
  return row;
}

/** SQL: the row `log` is in no block. */
const aboveBlocks = (newest: CandidateBlock | null): string[] =>
  newest === null ? [] : [`log.discovered_at >= ${timestampLiteral(newest.last.atMs)}`, compareRow('>', newest.last)];

const inBlock = [
  'log.discovered_at >= b.first_at',
  'log.discovered_at <= b.last_at',
  '(log.discovered_at, log.id) >= (b.first_at, b.first_id)',
  '(log.discovered_at, log.id) <= (b.last_at, b.last_id)',
];

async function countGroups(
  client: pg.PoolClient,
  rows: LogsPageQuery,
  { by, groupsMax }: LogSummaryQuery,
  newest: CandidateBlock | null,
): Promise<LogSummaryCounts> {
  const columns = by.map((key) => summaryColumns[key]);
  const keys = columns.map((_, index) => `k${index}`);
  const parts = selectValues(columns, rows, newest);
  const shown = columns.map(({ shown }, index) => (shown ? `min(r.s${index})` : `r.k${index}`));
  const order = keys.map((key) => `r.${key} collate "C" nulls last`).join(', ');
  const { rows: found } = await client.query<{
    shown: (string | null)[];
    amount: number;
    groups: number;
    rows: number;
  }>(
    `select array[${shown.join(', ')}]::text[] as shown, count(*)::float8 as amount, count(*) over ()::float8 as groups, sum(count(*)) over ()::float8 as rows
       from (${parts.join(' union all ')}) r group by ${keys.map((key) => `r.${key}`).join(', ')}
      order by count(*) desc, ${order} limit ${Math.trunc(groupsMax)}`,
  );
  return {
    kind: 'counted',
    rowCount: found[0]?.rows ?? 0,
    groupCount: found[0]?.groups ?? 0,
    groups: found.map(({ shown, amount }) => ({ values: showValues(by, shown), rowCount: amount })),
  };
}

/** SQL: the values of the rows, those in no block and those of blocks, which are sealed or not. */
function selectValues(
  columns: readonly (typeof summaryColumns)[SummaryKey][],
  rows: LogsPageQuery,
  newest: CandidateBlock | null,
): string[] {
  const select = (kind: 'stored' | 'sealed') =>
    columns
      .map(
        ({ group, shown }, index) =>
          `${sqlOf(group, kind)} as k${index}, ${shown ? sqlOf(shown, kind) : 'null'} as s${index}`,
      )
      .join(', ');
  const stored = (within: readonly string[]) =>
    `select ${select('stored')} from models.audit_log log where ${matchRows(rows, within)}`;
  if (newest === null) return [stored([])];
  const blocks = selectBlocks(rows, searchAll(newest), 'b.first_at, b.first_id, b.last_at, b.last_id');
  const conditions = rowConditions(rows);
  const sealedRows = selectSealedRows('s', `${select('sealed')} ${conditions}`);
  return [
    stored(aboveBlocks(newest)),
    `select r.* from (${blocks}) b cross join lateral (${stored(inBlock)}) r where b.last_at >= ${sealedBefore}`,
    `select r.* from (${blocks}) b
       join models.log_sealed s on s.tenant_id = '${rows.tenantId}' and s.first_at = b.first_at and s.first_id = b.first_id
      cross join lateral (select ${select('sealed')} from ${sealedRows} log where ${conditions}) r where b.last_at < ${sealedBefore}`,
  ];
}

/** SQL: rows before it are read from sealed blocks. */
const sealedBefore = `(select coalesce(sealed_before, '-infinity') from models.retention where feed = 'logs')`;

const showValues = (by: readonly SummaryKey[], shown: readonly (string | null)[]): LogSummaryGroup['values'] =>
  Object.fromEntries(
    by.map((key, index) => {
      const text = shown[index] ?? null;
      return [key, text !== null && summaryColumns[key].isJson ? (JSON.parse(text) as string) : text];
    }),
  );
