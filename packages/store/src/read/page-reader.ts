import type pg from 'pg';
import { CopyOut } from '../connection/copy.ts';
import { QueryTimedOut } from '../connection/errors.ts';
import type { DocumentFrame } from './document-frame.ts';
import type { LogsPageQuery } from './log-page-statement.ts';

/** The statements of one page, one after the other. Their time limits are what is left of the page's. */
export interface PageReader {
  readonly frame: DocumentFrame;
  /** Adds the rows of a COPY to the page. Returns how long it ran, in ms. */
  copy(toStatement: (limits: Pick<LogsPageQuery, 'limit' | 'timeoutMs'>) => string): Promise<number>;
  select<Row extends pg.QueryResultRow>(
    toStatement: (limits: Pick<LogsPageQuery, 'timeoutMs'>) => string,
  ): Promise<Row[]>;
}

export function createPageReader(client: pg.PoolClient, query: LogsPageQuery, frame: DocumentFrame): PageReader {
  const { runStatement = (statement) => statement() } = query;
  let leftMs = query.timeoutMs;
  const run = async <Value>(work: (timeoutMs: number) => Promise<Value>): Promise<{ value: Value; ms: number }> => {
    if (leftMs <= 0) throw new QueryTimedOut('the statements of a page together timed out');
    const finished = await runStatement(async () => {
      const startedMs = performance.now();
      return { value: await work(leftMs), ms: performance.now() - startedMs };
    });
    leftMs -= finished.ms;
    return finished;
  };
  return {
    frame,
    async copy(toStatement) {
      const { ms } = await run(async (timeoutMs) => {
        frame.beginStream();
        const statement = toStatement({ limit: frame.missingRows(), timeoutMs });
        const copy = new CopyOut(statement, (bytes, from, to) => frame.take(bytes, from, to));
        client.query(copy);
        await copy.done;
      });
      return ms;
    },
    async select<Row extends pg.QueryResultRow>(toStatement: (limits: { timeoutMs: number }) => string) {
      const { value } = await run((timeoutMs) => client.query(toStatement({ timeoutMs })));
      return (value as unknown as pg.QueryResult<Row>[])[1]?.rows ?? [];
    },
  };
}
