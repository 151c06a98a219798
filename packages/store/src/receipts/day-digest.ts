import { createHash, type Hash } from 'node:crypto';
import { type LogReceipt, pageMaxBytes } from '@tenantscope/contract';
import { digestMemberNames } from '@tenantscope/proof';
import type pg from 'pg';
import { documentIdAt, documentStampAt } from '../read/log/log-document.ts';
import { readLogsPage } from '../read/log/log-page.ts';
import type { RowPosition } from '../read/record-page.ts';

export interface DayQuery {
  readonly tenantId: string;
  /** Epoch ms of its beginning; the day must be settled. */
  readonly dayMs: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called after each page, with how long it took; the next page waits for it. */
  readonly rest: (pageMs: number) => Promise<void>;
}

const pageRows = 1_000;
const dayLengthMs = 86_400_000;
const idLength = 36;
const hourLength = '2026-11-01T00'.length;

/** Reads the day page by page, as GET /logs writes it, and digests each hour. Throws the reason of the aborted signal. */
export async function digestDay(
  pool: pg.Pool,
  { tenantId, dayMs, timeoutMs, signal, rest }: DayQuery,
): Promise<Pick<LogReceipt, 'rowCount' | 'hours' | 'layout'>> {
  const digests = createHourDigests();
  const models = { poolFor: () => pool, sealedBeforeMs: Number.NEGATIVE_INFINITY };
  let after: RowPosition | null = null;
  do {
    signal.throwIfAborted();
    const startedMs = performance.now();
    const page = await readLogsPage(models, {
      tenantId,
      sort: 'discoveredAtAsc',
      discovered: { fromMs: dayMs, toMs: dayMs + dayLengthMs - 1 },
      occurred: { fromMs: null, toMs: null },
      filters: {},
      after,
      limit: pageRows,
      maxBytes: pageMaxBytes,
      timeoutMs,
      signal,
    });
    for (const document of page.documents()) digests.add(document);
    after = page.hasMore ? page.last : null;
    await rest(performance.now() - startedMs);
  } while (after !== null);
  return digests.close();
}

interface OpenHour {
  readonly hour: string;
  rowCount: number;
  readonly ids: Hash;
  readonly rows: Hash;
}

function createHourDigests() {
  const hours: LogReceipt['hours'] = [];
  let open: OpenHour | null = null;
  let rowCount = 0;
  let first: string | null = null;
  const closeHour = () => {
    if (open === null) return;
    hours.push({
      hour: `${open.hour}:00:00.000Z`,
      rowCount: open.rowCount,
      idsSha256: open.ids.digest('hex'),
      rowsSha256: open.rows.digest('hex'),
    });
  };
  return {
    /** Rows in page order. */
    add(document: Buffer): void {
      const hour = document.toString('latin1', documentStampAt, documentStampAt + hourLength);
      if (open?.hour !== hour) {
        closeHour();
        open = { hour, rowCount: 0, ids: createHash('sha256'), rows: createHash('sha256') };
      }
      open.rowCount += 1;
      open.ids.update(document.subarray(documentIdAt, documentIdAt + idLength)).update('\n');
      open.rows.update(document).update('\n');
      rowCount += 1;
      first ??= document.toString();
    },
    async close() {
      closeHour();
      return { rowCount, hours, layout: first === null ? null : await digestMemberNames(JSON.parse(first)) };
    },
  };
}
