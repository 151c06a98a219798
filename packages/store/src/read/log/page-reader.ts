import type pg from 'pg';
import { CopyOut } from '../../connection/copy.ts';
import { QueryTimedOut } from '../../connection/errors.ts';
import { type PreparedStatement, readPreparedRows } from '../../connection/prepared-rows.ts';
import type { Take } from '../../connection/wire-query.ts';
import type { RowPosition } from '../record-page.ts';
import type { DocumentFrame } from './document-frame.ts';
import type { LogsPageQuery } from './log-page-statement.ts';
import { readSealedBlocks, type SealedPart } from './sealed-blocks.ts';

/** The statements of one page, one after the other. Their time limits are what is left of the page's. */
export interface PageReader {
  readonly frame: DocumentFrame;
  /** Adds the rows of the second statement to the page. Returns how long both ran, in ms. Throws LogSealed. */
  read(toStatements: (limits: RowLimits) => readonly [PreparedStatement, PreparedStatement]): Promise<number>;
  /** The same with the rows of a COPY. */
  copy(toStatement: (limits: RowLimits) => string): Promise<number>;
  /** Reads so many sealed blocks; returns the parts with rows of the page, of each block those in their order. Throws SealedBlockMissing. */
  copySealed(count: number, toStatement: (limits: Pick<LogsPageQuery, 'timeoutMs'>) => string): Promise<SealedPart[][]>;
  select<Row extends pg.QueryResultRow>(
    toStatement: (limits: Pick<LogsPageQuery, 'timeoutMs'>) => string,
  ): Promise<Row[]>;
}

type RowLimits = Pick<LogsPageQuery, 'limit' | 'timeoutMs'>;
/** Its last column says where sealed history ends. */
type SettingsRow = readonly (string | null)[] | null;

export interface LogParts {
  /** Rows before it are read from sealed blocks, all others from models.audit_log. */
  readonly sealedBeforeMs: number;
  /** Reads the rows of the window in models.audit_log, those after a position or all. */
  readStored(above: RowPosition | null): Promise<void>;
}

/** Sealed history ends elsewhere than the page takes it to: a partition was sealed, or the database was restored. */
export class LogSealed extends Error {
  readonly beforeMs: number;

  constructor(beforeMs: number) {
    super(`the log is sealed before ${new Date(beforeMs).toISOString()}`);
    this.beforeMs = beforeMs;
  }
}

/** Blocks were found that have no sealed rows: retention dropped them in between, or the page would not be complete. */
export class SealedBlockMissing extends Error {}

/** @param sealedBeforeMs where the page takes rows of models.audit_log to begin */
export function createPageReader(
  client: pg.PoolClient,
  query: LogsPageQuery,
  { frame, sealedBeforeMs }: { frame: DocumentFrame; sealedBeforeMs: number },
): PageReader {
  const { runStatement = (statement) => statement() } = query;
  let leftMs = query.timeoutMs;
  const requireBound = (sealedMs: string | null | undefined) => {
    const beforeMs = Number(sealedMs ?? Number.NEGATIVE_INFINITY);
    if (beforeMs !== sealedBeforeMs) throw new LogSealed(beforeMs);
  };
  const run = async <Value>(work: (timeoutMs: number) => Promise<Value>): Promise<{ value: Value; ms: number }> => {
    if (leftMs <= 0) throw new QueryTimedOut('the statements of a page together timed out');
    const finished = await runStatement(async () => {
      const startedMs = performance.now();
      return { value: await work(leftMs), ms: performance.now() - startedMs };
    });
    leftMs -= finished.ms;
    return finished;
  };
  const addRows = async (hasHeader: boolean, send: (limits: RowLimits, take: Take) => Promise<SettingsRow>) => {
    const { ms } = await run(async (timeoutMs) => {
      frame.beginRows({ hasHeader });
      const limits = { limit: frame.missingRows(), timeoutMs };
      const settings = await send(limits, (bytes, from, to) => frame.take(bytes, from, to));
      requireBound(settings?.at(-1));
    });
    return ms;
  };
  return {
    frame,
    read: (toStatements) => addRows(false, (limits, take) => readPreparedRows(client, toStatements(limits), take)),
    copy: (toStatement) =>
      addRows(true, async (limits, take) => {
        const copy = new CopyOut(toStatement(limits), take);
        client.query(copy);
        await copy.done;
        return copy.precedingRow;
      }),
    async copySealed(count, toStatement) {
      const { value } = await run(async (timeoutMs) => {
        const pieces: Buffer[] = [];
        const statement = toStatement({ timeoutMs });
        const copy = new CopyOut(statement, (bytes, from, to) => pieces.push(bytes.subarray(from, to)));
        client.query(copy);
        await copy.done;
        return readSealedBlocks(Buffer.concat(pieces));
      });
      if (value.count !== count) throw new SealedBlockMissing(`${value.count} of ${count} sealed blocks were found`);
      return value.blocks;
    },
    async select<Row extends pg.QueryResultRow>(toStatement: (limits: { timeoutMs: number }) => string) {
      const { value } = await run((timeoutMs) => client.query(toStatement({ timeoutMs })));
      const [settings, found] = value as unknown as [pg.QueryResult<{ sealed_ms: string | null }>, pg.QueryResult<Row>];
      requireBound(settings.rows[0]?.sealed_ms);
      return found.rows;
    },
  };
}
