import {
  type BlockRow,
  blockSearchStatement,
  type CandidateBlock,
  joinBlocks,
  newestBlockStatement,
  toCandidate,
} from './log-block-search.ts';
import { isAscending, type LogsPageQuery, logsRangesStatement, lowerMs, upperMs } from './log-page-statement.ts';
import type { PageReader } from './page-reader.ts';
import type { RowPosition } from './record-page.ts';

/** How many blocks a search finds: few at first, since the first ones fill most pages, and four times as many each time. */
const firstBlocks = 8;
const blocksMax = 128;
const blocksFactor = 4;

/**
 * Reads the rows of a filtered page: those of blocks that may have some, and those in no block yet. Returns the position up to which it read,
 * when it ended before the page was full or the window was at its end; otherwise null.
 *
 * @param readNewer reads the rows of the window after a position, or all
 */
export async function readFilteredRows(
  query: LogsPageQuery,
  reader: PageReader,
  readNewer: (above: RowPosition | null) => Promise<void>,
): Promise<RowPosition | null> {
  const [row] = await reader.select<BlockRow>((limits) => newestBlockStatement({ ...query, ...limits }));
  if (!row) {
    await readNewer(null);
    return null;
  }
  const newest = toCandidate(row);
  const newer = () => (upperMs(query) < newest.last.atMs ? Promise.resolve() : readNewer(newest.last));
  if (!isAscending(query)) {
    await newer();
    return reader.frame.isFull() ? null : readBlocks(query, reader, newest);
  }
  const isBelow = (lowerMs(query) ?? newest.first.atMs) <= newest.last.atMs;
  const reached = isBelow ? await readBlocks(query, reader, newest) : null;
  if (reached === null && !reader.frame.isFull()) await newer();
  return reached;
}

async function readBlocks(
  query: LogsPageQuery,
  { frame, select, copy }: PageReader,
  newest: CandidateBlock,
): Promise<RowPosition | null> {
  const ascending = isAscending(query);
  const { examinedRowsMax = Number.POSITIVE_INFINITY } = query;
  let beyond: CandidateBlock | null = null;
  let examined = 0;
  for (let limit = firstBlocks; !frame.isFull(); limit = Math.min(limit * blocksFactor, blocksMax)) {
    if (beyond && examined >= examinedRowsMax && !frame.isEmpty()) return ascending ? beyond.last : beyond.first;
    const search = { newest, beyond, limit };
    const rows: BlockRow[] = await select((limits) => blockSearchStatement({ ...query, ...limits }, search));
    const blocks = rows.map(toCandidate);
    if (blocks.length > 0) {
      const ranges = joinBlocks(blocks, ascending);
      await copy((limits) => logsRangesStatement({ ...query, ...limits }, ranges));
    }
    if (blocks.length < limit) return null;
    beyond = blocks.at(-1) ?? null;
    examined += blocks.reduce((sum, { rows }) => sum + rows, 0);
  }
  return null;
}
