import { withCancellableConnection } from '../../connection/pool.ts';
import type { ReadModels } from '../read-models.ts';
import type { RowPosition } from '../record-page.ts';
import { readBlocks } from './block-rows.ts';
import { DocumentFrame, type LogsPage } from './document-frame.ts';
import { readFilteredRows } from './filtered-rows.ts';
import { hasConditions, isFiltered } from './log-block-search.ts';
import { isAscending, type LogsPageQuery, logsPageStatement, lowerMs, upperMs } from './log-page-statement.ts';
import { logWindowStatements } from './log-window-statement.ts';
import { createPageReader, type LogParts, LogSealed, type PageReader, SealedBlockMissing } from './page-reader.ts';
import { createWindowParts } from './window-parts.ts';

/**
 * One page of the log, by keyset: page 10,000 costs as much as page 1. The rows go from the server's messages into the
 * response body as bytes. Throws StoreUnavailable, QueryTimedOut or the reason of the
 * aborted signal.
 *
 * A hot path. Measured against pgbench fetching the same documents and against a handler that stringifies objects: "npm run bench", reads.
 */
export async function readLogsPage(models: LogModels, query: LogsPageQuery): Promise<LogsPage> {
  for (let isRepeated = false; ; ) {
    try {
      return await readPage(models, query, models.sealedBeforeMs);
    } catch (error) {
      // Once for each partition that is sealed while the process runs, and once after its start.
      if (error instanceof LogSealed) models.sealedBeforeMs = error.beforeMs;
      else if (error instanceof SealedBlockMissing && !isRepeated) isRepeated = true;
      else throw error;
    }
  }
}

export type LogModels = Pick<ReadModels, 'poolFor' | 'sealedBeforeMs'>;

async function readPage(models: LogModels, query: LogsPageQuery, sealedBeforeMs: number): Promise<LogsPage> {
  const frame = new DocumentFrame(query.tenantId, query.limit, query.maxBytes);
  let reached: RowPosition | null = null;
  await withCancellableConnection(models.poolFor(query.tenantId), query.signal, async (client) => {
    const reader = createPageReader(client, query, { frame, sealedBeforeMs });
    const readStored = (above: RowPosition | null) => readRows(query, reader, above);
    if (isFiltered(query)) reached = await readFilteredRows(query, reader, { sealedBeforeMs, readStored });
    else reached = await readWindow(query, reader, { sealedBeforeMs, readStored });
  });
  const page = frame.page();
  return reached === null ? page : { ...page, hasMore: true, last: reached };
}

const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Reads the sealed and the other rows of the window, in the order of the page. Returns the position up to which it read if it ended before that. */
async function readWindow(
  query: LogsPageQuery,
  reader: PageReader,
  { sealedBeforeMs, readStored }: LogParts,
): Promise<RowPosition | null> {
  const isSealed = (lowerMs(query) ?? Number.NEGATIVE_INFINITY) < sealedBeforeMs;
  const isStored = upperMs(query) >= sealedBeforeMs;
  const upTo = { atMs: sealedBeforeMs - 1, id: highestId };
  const readOthers = async () => {
    if (isStored && !reader.frame.isFull()) await readStored(null);
  };
  if (!isAscending(query)) await readOthers();
  const reached = isSealed ? await readBlocks(query, reader, { upTo, sealedBeforeMs }) : null;
  if (isAscending(query) && reached === null) await readOthers();
  return reached;
}

/**
 * Reads the window, only its rows after a position where one is given; in parts while statements are paced. No row at or before the upper bound becomes
 * visible between two statements: it is at or below the watermark. So the parts together are the page of the whole window.
 */
async function readRows(query: LogsPageQuery, reader: PageReader, above: RowPosition | null): Promise<void> {
  const read = (window: Partial<LogsPageQuery>) => readStored(query, reader, { above, window });
  if (!query.runStatement?.isPaced()) {
    await read({});
    return;
  }
  const [fromMs, toMs] = [lowerMs(query), upperMs(query)];
  const window = { fromMs: above === null ? fromMs : Math.max(above.atMs, fromMs ?? above.atMs), toMs };
  const parts = createWindowParts(window, isAscending(query));
  for (let part = parts.next(); part !== null && !reader.frame.isFull(); part = parts.next()) {
    parts.adapt(await read({ discovered: part }));
  }
}

/**
 * Rows without conditions of their own come from prepared statements; the values of filters are part of a COPY, which is planned for each page. Planned
 * once, a page of 50 rows takes PostgreSQL 90 to 107 instead of 213 to 379 µs with 7 partitions, one of 1,000 rows 715 to 791 instead of 919 to 1,118: ADR 0023.
 */
function readStored(
  query: LogsPageQuery,
  reader: PageReader,
  { above, window }: { above: RowPosition | null; window: Partial<LogsPageQuery> },
): Promise<number> {
  if (above === null && !hasConditions(query))
    return reader.read((limits) => logWindowStatements({ ...query, ...limits, ...window }));
  return reader.copy((limits) => logsPageStatement({ ...query, ...limits, ...window }, above));
}
