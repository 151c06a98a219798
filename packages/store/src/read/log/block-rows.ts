import type { RowPosition } from '../record-page.ts';
import {
  type BlockRow,
  blockSearchStatement,
  type CandidateBlock,
  hasConditions,
  joinBlocks,
  toCandidate,
} from './log-block-search.ts';
import { isAscending, type LogsPageQuery, logsRangesStatement } from './log-page-statement.ts';
import type { PageReader } from './page-reader.ts';
import { sealedRowsStatement } from './sealed-statement.ts';

/** How many blocks a search finds: few at first, since the first ones fill most pages, and four times as many each time. */
const firstBlocks = 8;
const blocksMax = 128;
const blocksFactor = 4;

/**
 * Reads the rows of the window that lie in blocks up to a position: those of blocks that may have some. Returns the position up to which it read, when
 * it ended before the page was full or the window was at its end; otherwise null.
 */
export async function readBlocks(
  query: LogsPageQuery,
  reader: PageReader,
  { upTo, sealedBeforeMs }: { upTo: RowPosition; sealedBeforeMs: number },
): Promise<RowPosition | null> {
  const ascending = isAscending(query);
  const { frame } = reader;
  const { examinedRowsMax = Number.POSITIVE_INFINITY } = query;
  let beyond: CandidateBlock | null = null;
  let examined = 0;
  for (let limit = firstBlocks; !frame.isFull(); limit = Math.min(limit * blocksFactor, blocksMax)) {
    if (beyond && examined >= examinedRowsMax && !frame.isEmpty()) return ascending ? beyond.last : beyond.first;
    const search = { upTo, beyond, limit };
    const rows: BlockRow[] = await reader.select((limits) => blockSearchStatement({ ...query, ...limits }, search));
    const blocks = rows.map(toCandidate);
    await readCandidates(query, reader, { blocks, sealedBeforeMs });
    if (blocks.length < limit) return null;
    beyond = blocks.at(-1) ?? null;
    examined += blocks.reduce((sum, { rows }) => sum + rows, 0);
  }
  return null;
}

/** @param blocks in the order of the page; of an ascending one sealed blocks precede the others */
async function readCandidates(
  query: LogsPageQuery,
  reader: PageReader,
  { blocks, sealedBeforeMs }: { blocks: readonly CandidateBlock[]; sealedBeforeMs: number },
): Promise<void> {
  const ascending = isAscending(query);
  const stored = blocks.filter(({ last }) => last.atMs >= sealedBeforeMs);
  const readStored = async () => {
    if (stored.length === 0 || reader.frame.isFull()) return;
    const ranges = joinBlocks(stored, ascending);
    await reader.copy((limits) => logsRangesStatement({ ...query, ...limits }, ranges));
  };
  if (!ascending) await readStored();
  await readSealed(
    query,
    reader,
    blocks.filter(({ last }) => last.atMs < sealedBeforeMs),
  );
  if (ascending) await readStored();
}

/** Without conditions on rows, so many blocks are read at a time as the page takes if the first of them has none of its rows. */
async function readSealed(
  query: LogsPageQuery,
  { frame, copySealed }: PageReader,
  blocks: readonly CandidateBlock[],
): Promise<void> {
  const filtered = hasConditions(query);
  for (let taken = 0; taken < blocks.length && !frame.isFull(); ) {
    let end = filtered ? blocks.length : taken + 1;
    for (let rows = 0; end < blocks.length && rows <= frame.missingRows(); end++) rows += blocks[end]?.rows ?? 0;
    const chosen = blocks.slice(taken, end);
    for (const block of await copySealed(chosen.length, (limits) =>
      sealedRowsStatement({ ...query, ...limits }, chosen),
    ))
      for (const part of isAscending(query) ? block : block.toReversed()) frame.addSealed(part, isAscending(query));
    taken = end;
  }
}
