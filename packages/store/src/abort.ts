import type pg from 'pg';

/**
 * Runs `work`, whose statements the server ends as soon as the signal aborts: a caller that hangs up must not leave a long question running. Throws the
 * signal's reason then, also where the work was just done: the cancellation is on its way, and the connection must not be lent to anybody else.
 */
export async function untilAborted<Value>(
  pool: pg.Pool,
  client: pg.PoolClient,
  signal: AbortSignal,
  work: () => Promise<Value>,
): Promise<Value> {
  signal.throwIfAborted();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  let cancelled: Promise<unknown> = Promise.resolve();
  const cancel = () => {
    cancelled = pool.query('select pg_cancel_backend($1)', [rows[0]?.pid]).catch(() => {});
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const value = await work();
    signal.throwIfAborted();
    return value;
  } catch (error) {
    await cancelled;
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Takes, until the end of the transaction, what only one transaction of the database may hold. False when another one does. */
export async function takeOnly(client: pg.PoolClient, name: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(
    'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken',
    [name],
  );
  return rows[0]?.taken === true;
}
