import type pg from 'pg';
import { StoreUnavailable } from '../connection/errors.ts';
import { assertLeastPrivilege, describeBypass, openPool, type PoolOptions } from '../connection/pool.ts';

/** The read models, with the api login. */
export interface ReadModels extends AsyncDisposable {
  /** The database with a tenant's rows: of one cell, which the caller has chosen. */
  poolFor(tenantId: string): pg.Pool;
  /** Every database, for watermarks and health. */
  pools(): readonly pg.Pool[];
  /** Rows of the log before this time, epoch ms, were sealed when this process last read some. -Infinity: none are known to be. */
  sealedBeforeMs: number;
}

/**
 * Refuses a connection to the database of another cell, which would give complete pages without the rows of a tenant, and a login that row-level
 * security does not bind. Throws StoreUnavailable: the configuration or the server behind an address can be corrected without a restart.
 */
export async function verifyCell(client: pg.ClientBase, cell: string): Promise<void> {
  const { rows } = await client.query<{ role: string; bypasses: boolean; cell: string }>(
    `select rolname as role, rolsuper or rolbypassrls as bypasses, models.own_cell() as cell from pg_roles where rolname = current_user`,
  );
  const [found] = rows;
  if (!found) throw new StoreUnavailable('the login was not found in pg_roles');
  if (found.bypasses) throw new StoreUnavailable(describeBypass(found.role));
  if (found.cell !== cell)
    throw new StoreUnavailable(`the database is that of the cell ${found.cell}, not of the cell ${cell}`);
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
