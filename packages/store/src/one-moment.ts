import type pg from 'pg';
import { withConnection } from './connection.ts';

/**
 * Reads of one tenant that agree with each other: one snapshot of the database, behind the tenant's walls. Throws StoreUnavailable, QueryTimedOut
 * and what `work` throws.
 */
export function atOneMoment<Value>(
  pool: pg.Pool,
  tenantId: string,
  work: (client: pg.PoolClient) => Promise<Value>,
): Promise<Value> {
  return withConnection(pool, async (client) => {
    await client.query('begin transaction isolation level repeatable read read only');
    // Many short statements: compiling one would take longer than running it.
    await client.query("select set_config('tenantscope.tenant', $1, true), set_config('jit', 'off', true)", [tenantId]);
    const value = await work(client);
    await client.query('commit');
    return value;
  });
}
