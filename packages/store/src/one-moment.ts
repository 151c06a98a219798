import type pg from 'pg';
import { untilAborted } from './abort.ts';
import { withConnection } from './connection.ts';
import { QueryTimedOut } from './failure.ts';

export interface MomentLimits {
  /** Bounds all statements together. */
  readonly timeoutMs?: number;
  /** Ends them as soon as it aborts: nobody waits for the answer any more. */
  readonly hungUp?: AbortSignal;
}

/**
 * Reads of one tenant that agree with each other: one snapshot of the database, behind the tenant's walls. Throws StoreUnavailable, QueryTimedOut, the
 * reason of who hung up, and what `work` throws.
 */
export function atOneMoment<Value>(
  pool: pg.Pool,
  tenantId: string,
  work: (client: pg.PoolClient) => Promise<Value>,
  { timeoutMs, hungUp }: MomentLimits = {},
): Promise<Value> {
  return withConnection(pool, (client) => inTime(read(client), timeoutMs));

  async function read(client: pg.PoolClient): Promise<Value> {
    await client.query('begin transaction isolation level repeatable read read only');
    // Many short statements: compiling one would take longer than running it.
    await client.query("select set_config('tenantscope.tenant', $1, true), set_config('jit', 'off', true)", [tenantId]);
    if (timeoutMs !== undefined)
      await client.query("select set_config('statement_timeout', $1, true)", [String(Math.ceil(timeoutMs))]);
    const value = await (hungUp ? untilAborted(pool, client, hungUp, () => work(client)) : work(client));
    await client.query('commit');
    return value;
  }
}

/** A statement's own limit ends it on the server; together they end here, and the connection with them. */
async function inTime<Value>(work: Promise<Value>, timeoutMs: number | undefined): Promise<Value> {
  if (timeoutMs === undefined) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new QueryTimedOut('the statements together timed out')), timeoutMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The database's clock, epoch ms. Asked inside of a moment it is no earlier than that. */
export async function readClock(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ ms: number }>(
    'select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  );
  const [row] = rows;
  if (!row) throw new TypeError('a clock was asked and said nothing');
  return row.ms;
}
