import { selectSealedRows } from '../../resource/sealed-columns.ts';
import { timestampLiteral } from '../record-page.ts';
import { type CandidateBlock, hasConditions } from './log-block-search.ts';
import {
  copyOut,
  isAscending,
  type LogsPageQuery,
  lowerMs,
  quoteLogId,
  rowConditions,
  settings,
  upperMs,
} from './log-page-statement.ts';
import { blockColumns } from './sealed-blocks.ts';

/**
 * The documents of sealed blocks, in the order of the page, with the numbers of the rows that fulfil the conditions of the page: the same conditions
 * as of other rows. Blocks without such a row come without documents.
 */
export function sealedRowsStatement(query: LogsPageQuery, blocks: readonly CandidateBlock[]): string {
  const filtered = hasConditions(query);
  const keys = blocks.map(
    (block) =>
      `(${timestampLiteral(block.first.atMs)}, ${quoteLogId(block.first.id)}, ${!filtered && isWithin(query, block)})`,
  );
  const firsts = blocks.map(({ first }) => first.atMs);
  const direction = isAscending(query) ? 'asc' : 'desc';
  const withoutRows = `when m.ordinals = '{}' then null`;
  return (
    settings(query) +
    copyOut(
      `select ${blockColumns('m.ordinals', (column) => `case ${withoutRows} else ${column} end`)}` +
        ` from (values ${keys.join(', ')}) k (first_at, first_id, is_whole)` +
        ' join models.log_sealed s on s.first_at = k.first_at and s.first_id = k.first_id' +
        ` cross join lateral (select case when not k.is_whole then array(${matchingOrdinals(query)}) end as ordinals) m` +
        ` where s.tenant_id = '${query.tenantId}' and s.first_at between ${timestampLiteral(Math.min(...firsts))} and ${timestampLiteral(Math.max(...firsts))}` +
        ` order by s.first_at ${direction}, s.first_id ${direction}`,
    )
  );
}

/** Whether all rows of the block lie in the window and beyond the position. */
function isWithin(query: LogsPageQuery, { first, last }: CandidateBlock): boolean {
  const from = lowerMs(query);
  const { after } = query;
  if (last.atMs > upperMs(query) || (from !== null && first.atMs < from)) return false;
  if (after === null) return true;
  return isAscending(query) ? first.atMs > after.atMs : last.atMs < after.atMs;
}

/** Only the columns that the page compares are decompressed. */
function matchingOrdinals(query: LogsPageQuery): string {
  const where = rowConditions(query);
  return `select log.ordinal::integer from ${selectSealedRows('s', where)} log where ${where} order by log.ordinal`;
}
