import pg from 'pg';
import { QueryTimedOut } from './errors.ts';
import { withConnection } from './pool.ts';
import { cancelOnAbort } from './query-cancellation.ts';
import { type UseSecond, withSharedSnapshot } from './snapshot-tasks.ts';

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
  /** Bounds each statement; by default `timeoutMs`. */
  readonly statementTimeoutMs?: number;
  /** Cancels them when it aborts: the caller no longer waits for the result. */
  readonly signal?: AbortSignal;
  /** Whether `readTogether` may use a second connection of the pool while one is free and statements need not wait; by default not. */
  readonly usesSecondConnection?: boolean;
}

/**
 * Consistent reads of one tenant: one snapshot of the database, restricted to the tenant by row-level security. Throws StoreUnavailable, QueryTimedOut,
 * the reason of the aborted signal, and what `work` throws.
 */
export function withReadSnapshot<Value>(
  pool: pg.Pool,
  tenantId: string,
  work: (client: pg.PoolClient) => Promise<Value>,
  limits: ReadLimits = {},
): Promise<Value> {
  const { timeoutMs, signal, runStatement } = limits;
  const waiting = createStopwatch();
  return withConnection(pool, (client) => withTimeout(read(client), timeoutMs, waiting));

  async function read(client: pg.PoolClient): Promise<Value> {
    await begin(client, { tenantId, limits });
    const value = await run(client, (reader) =>
      limits.usesSecondConnection
        ? withSharedSnapshot(
            reader,
            () => findSecond(client),
            () => work(reader),
          )
        : work(reader),
    );
    await client.query('commit');
    return value;
  }

  function run<Result>(client: pg.PoolClient, reading: (reader: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const reader = runStatement ? scheduleQueries(client, runStatement, waiting) : client;
    return signal ? cancelOnAbort(pool, client, signal, () => reading(reader)) : reading(reader);
  }

  async function findSecond(first: pg.PoolClient): Promise<UseSecond | null> {
    if (runStatement?.isPaced() || pool.totalCount - pool.idleCount >= pool.options.max) return null;
    const { rows } = await first.query<FirstConnection>(
      'select pg_export_snapshot() as snapshot, pg_backend_pid() as pid',
    );
    // What fails before a task has begun is no failure of the document: the first connection reads what the second one does not.
    return (tasks) =>
      withConnection(pool, async (second) => {
        await begin(second, { tenantId, limits, first: rows[0] });
        await run(second, tasks);
        await second.query('commit');
      }).catch(() => {});
  }
}

interface FirstConnection {
  readonly snapshot: string;
  readonly pid: number;
}

interface Beginning {
  readonly tenantId: string;
  readonly limits: ReadLimits;
  /** Where this is the second connection. It does not wait behind a process that waits for the lock of the first one. */
  readonly first?: FirstConnection | undefined;
}

async function begin(client: pg.PoolClient, { tenantId, limits, first }: Beginning): Promise<void> {
  const { timeoutMs, statementTimeoutMs = timeoutMs } = limits;
  const shared = first ? `set transaction snapshot ${pg.escapeLiteral(first.snapshot)};` : '';
  const isWaiting = first ? 'nowait' : '';
  // Before the snapshot: until the end of the transaction no partition of the log is sealed, so that it shows each row once.
  await client.query(
    `begin transaction isolation level repeatable read read only; ${shared} lock table only models.audit_log in access share mode ${isWaiting}`,
  );
  // Many short statements: compiling one would take longer than running it.
  await client.query("select set_config('tenantscope.tenant', $1, true), set_config('jit', 'off', true)", [tenantId]);
  if (statementTimeoutMs !== undefined)
    await client.query("select set_config('statement_timeout', $1, true)", [String(Math.ceil(statementTimeoutMs))]);
  if (first)
    await client.query(
      "select set_config('application_name', current_setting('application_name') || ', second connection of ' || $1, true)",
      [String(first.pid)],
    );
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
  /** Of all times between a start and its stop, where several overlap once. */
  elapsedMs(): number;
}

function createStopwatch(): Stopwatch {
  let totalMs = 0;
  let running = 0;
  let startedMs = 0;
  const sinceStart = () => (running > 0 ? performance.now() - startedMs : 0);
  return {
    start() {
      if (running === 0) startedMs = performance.now();
      running += 1;
    },
    stop() {
      if (running === 1) totalMs += sinceStart();
      running -= 1;
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
