import type { RowPosition } from '../record-page.ts';
import { readBlocks } from './block-rows.ts';
import { type BlockRow, newestBlockStatement, toCandidate } from './log-block-search.ts';
import { isAscending, type LogsPageQuery, lowerMs, upperMs } from './log-page-statement.ts';
import type { LogParts, PageReader } from './page-reader.ts';

/**
 * Reads the rows of a filtered page: those of blocks that may have some, and those in no block yet. Returns the position up to which it read,
 * when it ended before the page was full or the window was at its end; otherwise null.
 */
export async function readFilteredRows(
  query: LogsPageQuery,
  reader: PageReader,
  { sealedBeforeMs, readStored }: LogParts,
): Promise<RowPosition | null> {
  const [row] = await reader.select<BlockRow>((limits) => newestBlockStatement({ ...query, ...limits }));
  if (!row) {
    await readStored(null);
    return null;
  }
  const newest = toCandidate(row);
  const blocks = { upTo: newest.first, sealedBeforeMs };
  const newer = () => (upperMs(query) < newest.last.atMs ? Promise.resolve() : readStored(newest.last));
  if (!isAscending(query)) {
    await newer();
    return reader.frame.isFull() ? null : readBlocks(query, reader, blocks);
  }
  const isBelow = (lowerMs(query) ?? newest.first.atMs) <= newest.last.atMs;
  const reached = isBelow ? await readBlocks(query, reader, blocks) : null;
  if (reached === null && !reader.frame.isFull()) await newer();
  return reached;
}
