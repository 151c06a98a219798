import type pg from 'pg';
import { QueryTimedOut } from './errors.ts';
import { withConnection } from './pool.ts';
import { cancelOnAbort } from './query-cancellation.ts';

export interface ReadLimits {
  /** Bounds all statements together. */
  readonly timeoutMs?: number;
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
  { timeoutMs, signal: hungUp }: ReadLimits = {},
): Promise<Value> {
  return withConnection(pool, (client) => withTimeout(read(client), timeoutMs));

  async function read(client: pg.PoolClient): Promise<Value> {
    await client.query('begin transaction isolation level repeatable read read only');
    // Many short statements: compiling one would take longer than running it.
    await client.query("select set_config('tenantscope.tenant', $1, true), set_config('jit', 'off', true)", [tenantId]);
    if (timeoutMs !== undefined)
      await client.query("select set_config('statement_timeout', $1, true)", [String(Math.ceil(timeoutMs))]);
    const value = await (hungUp ? cancelOnAbort(pool, client, hungUp, () => work(client)) : work(client));
    await client.query('commit');
    return value;
  }
}

/** A statement's own limit ends it on the server; together they end here, and the connection with them. */
async function withTimeout<Value>(work: Promise<Value>, timeoutMs: number | undefined): Promise<Value> {
  if (timeoutMs === undefined) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new QueryTimedOut('the statements together timed out')), timeoutMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
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
