import type pg from 'pg';
import { QueryTimedOut } from './errors.ts';
import { withConnection } from './pool.ts';
import { cancelOnAbort } from './query-cancellation.ts';

/** Runs a statement, now or when its turn comes. */
export interface StatementRunner {
  <Value>(statement: () => Promise<Value>): Promise<Value>;
  /** Whether statements have to wait at present, so that short ones are better than a long one. */
  isPaced(): boolean;
}

export interface ReadLimits {
  /** Bounds all statements together, without the time they wait for their turns. */
  readonly timeoutMs?: number;
  /** Runs each statement of the work; by default at once. */
  readonly runStatement?: StatementRunner;
  /** Cancels them when it aborts: the caller no longer waits for the result. */
  readonly signal?: AbortSignal;
}

/**
 * Consistent reads of one tenant: one snapshot of the database, restricted to the tenant by row-level security. Throws StoreUnavailable, QueryTimedOut,
 * the reason of the aborted signal, and what `work` throws.
 */
export function withReadSnapshot<Value>(
  pool: pg.Pool,
  tenantId: string,
  work: (client: pg.PoolClient) => Promise<Value>,
  { timeoutMs, signal: hungUp, runStatement }: ReadLimits = {},
): Promise<Value> {
  const waiting = createStopwatch();
  return withConnection(pool, (client) => withTimeout(read(client), timeoutMs, waiting));

  async function read(client: pg.PoolClient): Promise<Value> {
    // Before the snapshot: until the end of the transaction no partition of the log is sealed, so that it shows each row once.
    await client.query(
      'begin transaction isolation level repeatable read read only; lock table only models.audit_log in access share mode',
    );
    // Many short statements: compiling one would take longer than running it.
    await client.query("select set_config('tenantscope.tenant', $1, true), set_config('jit', 'off', true)", [tenantId]);
    if (timeoutMs !== undefined)
      await client.query("select set_config('statement_timeout', $1, true)", [String(Math.ceil(timeoutMs))]);
    const reader = runStatement ? scheduleQueries(client, runStatement, waiting) : client;
    const value = await (hungUp ? cancelOnAbort(pool, client, hungUp, () => work(reader)) : work(reader));
    await client.query('commit');
    return value;
  }
}

/** A statement's own limit ends it on the server; together they end here, and the connection with them. */
async function withTimeout<Value>(
  work: Promise<Value>,
  timeoutMs: number | undefined,
  waiting: Stopwatch,
): Promise<Value> {
  if (timeoutMs === undefined) return work;
  const startedMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const check = () => {
      const leftMs = startedMs + timeoutMs + waiting.elapsedMs() - performance.now();
      if (leftMs > 0) timer = setTimeout(check, Math.ceil(leftMs));
      else reject(new QueryTimedOut('the statements together timed out'));
    };
    check();
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

interface Stopwatch {
  start(): void;
  stop(): void;
  /** Of all times between a start and a stop, and since the last start. */
  elapsedMs(): number;
}

function createStopwatch(): Stopwatch {
  let totalMs = 0;
  let startedMs: number | null = null;
  const sinceStart = () => (startedMs === null ? 0 : performance.now() - startedMs);
  return {
    start() {
      startedMs ??= performance.now();
    },
    stop() {
      totalMs += sinceStart();
      startedMs = null;
    },
    elapsedMs: () => totalMs + sinceStart(),
  };
}

/** The same connection, whose statements, sent one after the other, run in turns. */
function scheduleQueries(client: pg.PoolClient, runStatement: StatementRunner, waiting: Stopwatch): pg.PoolClient {
  const send = client.query.bind(client) as (...parameters: unknown[]) => Promise<unknown>;
  const query = (...parameters: unknown[]) => {
    waiting.start();
    return runStatement(() => {
      waiting.stop();
      return send(...parameters);
    });
  };
  return Object.create(client, { query: { value: query } }) as pg.PoolClient;
}

/** The database's clock, epoch ms. Inside a read snapshot it is no earlier than the snapshot. */
export async function readClock(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ ms: number }>(
    'select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  );
  const [row] = rows;
  if (!row) throw new TypeError('the clock query returned no row');
  return row.ms;
}
