import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const cancelIntervalMs = 100;

/**
 * Runs `work` and cancels its statements on the server when the signal aborts, until it ends: a client that disconnects must not leave a long query running, and a cancellation that
 * arrives between two statements has no effect. Throws the signal's reason then, even if the work has just finished: the cancellation may still arrive, so the connection must not be
 * reused.
 */
export async function cancelOnAbort<Value>(
  pool: pg.Pool,
  client: pg.PoolClient,
  signal: AbortSignal,
  work: () => Promise<Value>,
): Promise<Value> {
  signal.throwIfAborted();
  const pid = await readBackendPid(client);
  signal.throwIfAborted();
  const end = Promise.withResolvers<'ended'>();
  let cancelled: Promise<unknown> = Promise.resolve();
  const cancelUntilEnd = async () => {
    do await pool.query('select pg_cancel_backend($1)', [pid]).catch(() => {});
    while ((await Promise.race([end.promise, sleep(cancelIntervalMs)])) !== 'ended');
  };
  const cancel = () => {
    cancelled = cancelUntilEnd();
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const value = await work();
    signal.throwIfAborted();
    return value;
  } catch (error) {
    end.resolve('ended');
    await cancelled;
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

const pids = new WeakMap<pg.PoolClient, number>();

/** A connection keeps its backend: one round trip for its first query, none for the next ones. */
async function readBackendPid(client: pg.PoolClient): Promise<number> {
  const cached = pids.get(client);
  if (cached !== undefined) return cached;
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const [row] = rows;
  if (!row) throw new TypeError('the query of the backend returned no row');
  pids.set(client, row.pid);
  return row.pid;
}
