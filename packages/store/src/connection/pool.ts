import pg from 'pg';
import { parsePooledUrl } from './database-url.ts';
import { classifyError, StoreUnavailable } from './errors.ts';
import { cancelOnAbort } from './query-cancellation.ts';
import { RotatingPool } from './rotating-pool.ts';

export interface PoolOptions {
  /** Shown in pg_stat_activity. */
  name: string;
  maxConnections: number;
  /** The variable with the URL, for error messages. */
  variable?: string;
  /** How long a caller waits for a free or new connection before StoreUnavailable. */
  connectTimeoutMs?: number;
  /** A statement the server does not answer within this time ends its connection: a hung backend must not hang a caller. */
  queryTimeoutMs?: number;
  /** Rejects for a new connection that may not be used. */
  verify?: (client: pg.ClientBase) => Promise<void>;
}

export function openPool(url: string, options: PoolOptions): pg.Pool {
  const { connectionString, ssl, passwords } = parsePooledUrl(url);
  const { verify } = options;
  const settings: pg.PoolConfig = {
    connectionString,
    ssl,
    application_name: options.name,
    max: options.maxConnections,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 1_000,
    query_timeout: options.queryTimeoutMs ?? 8_000,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: 1_800,
    keepAlive: true,
    ...(verify && {
      verify: (client: pg.ClientBase, done: (error?: Error) => void) => {
        verify(client).then(() => done(), done);
      },
    }),
  };
  const pool = passwords === null ? new pg.Pool(settings) : new RotatingPool(settings, passwords);
  // Without a listener an idle connection that the server cuts would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  if (options.variable !== undefined) variables.set(pool, options.variable);
  return pool;
}

const variables = new WeakMap<pg.Pool, string>();

/** Runs `work` with a connection of the pool. After any failure the connection is destroyed, since its state is unknown. */
export async function withConnection<Value>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Value>,
): Promise<Value> {
  const client = await pool.connect().catch((error: unknown) => {
    throw classifyError(error, variables.get(pool));
  });
  let broken: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    broken = error instanceof Error ? error : new Error(String(error));
    throw classifyError(error);
  } finally {
    client.release(broken);
  }
}

/** `withConnection` for one statement, which the server cancels when the signal aborts. Throws its reason then. */
export function withCancellableConnection<Value>(
  pool: pg.Pool,
  signal: AbortSignal | undefined,
  work: (client: pg.PoolClient) => Promise<Value>,
): Promise<Value> {
  return withConnection(pool, (client) =>
    signal === undefined ? work(client) : cancelOnAbort(pool, client, signal, () => work(client)),
  );
}

/**
 * Refuses a login that row-level security does not bind. Throws with the role's name and what to do;
 * StoreUnavailable when the server cannot be reached.
 */
export async function assertLeastPrivilege(pool: pg.Pool): Promise<void> {
  const { rows } = await withConnection(pool, (client) =>
    client.query<{ role: string; bypasses: boolean }>(
      `select rolname as role, rolsuper or rolbypassrls as bypasses from pg_roles where rolname = current_user`,
    ),
  );
  const login = rows[0];
  if (!login) throw new StoreUnavailable('the login was not found in pg_roles');
  if (login.bypasses) {
    throw new Error(describeBypass(login.role));
  }
}

export const describeBypass = (role: string): string =>
  `The database login ${role} is a superuser or bypasses row-level security. Use the login that "tenantscope migrate" created for this process.`;
