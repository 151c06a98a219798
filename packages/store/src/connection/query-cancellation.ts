import type pg from 'pg';

/**
 * Runs `work` and cancels its statement on the server when the signal aborts: a client that disconnects must not leave a long query running. Throws
 * the signal's reason then, even if the work has just finished: the cancellation may still arrive, so the connection must not be reused.
 */
export async function cancelOnAbort<Value>(
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
