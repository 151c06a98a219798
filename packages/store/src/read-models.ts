import type pg from 'pg';
import { assertLeastPrivilege, openPool, type PoolOptions } from './connection.ts';

/** The read models, as the api's login sees them. */
export interface ReadModels extends AsyncDisposable {
  /** Where a tenant's rows lie. One database today; the place where more of them are told apart. */
  poolFor(tenantId: string): pg.Pool;
  /** Every database there is, for what concerns all of them: watermarks, health. */
  pools(): readonly pg.Pool[];
}

/**
 * Opens the read models. Throws when the login is not bound by row-level security, StoreUnavailable when the database does not answer.
 */
export async function connectReadModels(url: string, options: PoolOptions): Promise<ReadModels> {
  const pool = openPool(url, options);
  try {
    await assertLeastPrivilege(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return { poolFor: () => pool, pools: () => [pool], [Symbol.asyncDispose]: () => pool.end() };
}
