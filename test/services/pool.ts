import pg from 'pg';

/**
 * A pool of a test. A test ends its pool before the server has noticed and then drops the database; the server reports that to
 * connections which are idle (through the pool) or in use (through the client), and without a listener the report ends the test run.
 */
export function openTestPool(connectionString: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 2, ...options });
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}
