import type pg from 'pg';
import { assertLeastPrivilege, openPool, type PoolOptions } from '../connection/pool.ts';

/** The read models, with the api login. */
export interface ReadModels extends AsyncDisposable {
  /** The database with a tenant's rows. One database today; several would be distinguished here. */
  poolFor(tenantId: string): pg.Pool;
  /** Every database, for watermarks and health. */
  pools(): readonly pg.Pool[];
  /** Rows of the log before this time, epoch ms, were sealed when this process last read some. -Infinity: none are known to be. */
  sealedBeforeMs: number;
}

/** Opens the read models without a connection. */
export function openReadModels(url: string, options: PoolOptions): ReadModels {
  const pool = openPool(url, options);
  return {
    poolFor: () => pool,
    pools: () => [pool],
    sealedBeforeMs: Number.NEGATIVE_INFINITY,
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

/**
 * Opens the read models. Throws when the login is not bound by row-level security, StoreUnavailable when the database does not answer.
 */
export async function connectReadModels(url: string, options: PoolOptions): Promise<ReadModels> {
  const models = openReadModels(url, options);
  try {
    await Promise.all(models.pools().map(assertLeastPrivilege));
  } catch (error) {
    await models[Symbol.asyncDispose]();
    throw error;
  }
  return models;
}
