import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { productVersion } from '@tenantscope/contract/version';
import type pg from 'pg';
import { openPool, withConnection } from './pool.ts';

const intervalMs = 15_000;

/** What a promotion would do to served pages, as an api sees it. */
export interface FailoverState {
  /** The number of the epoch of the server that requests are read from: each promotion opens one. Null while it is not known. */
  readonly epoch: number | null;
  /** Null while every standby that may be promoted has all that was served. */
  readonly problem: string | null;
  /** Standbys that do not respond and that the watermark waits for. */
  readonly waitsFor: string | null;
  readonly standbys: readonly {
    readonly name: string;
    /** Whether it may be promoted, and so bounds the watermark. */
    readonly isBounding: boolean;
    /** Behind the clock of the primary; null while it is not known. */
    readonly lagMs: number | null;
  }[];
}

export interface ProcessRegistration {
  readonly app: 'api' | 'ingest' | 'jobs' | 'console' | 'collect';
  /** Of the control database, with the login of the app; of the api with that of keys. */
  readonly url: string;
  /** The variable with the URL. */
  readonly variable: string;
  /** Only of an api that has standbys. */
  failover?(): FailoverState | null;
  /** A report failed; the next one is due in 15 s. */
  failed(message: string, error: unknown): void;
  /** Of the product by default. */
  readonly version?: string;
}

/**
 * Reports this process with its version every 15 s, and removes it when disposed. With a connection of its own, so that no request waits for it. A contract step
 * of a migration waits for older processes that were reported within a minute.
 */
export function registerProcess({
  app,
  url,
  variable,
  failed,
  failover,
  version = productVersion,
}: ProcessRegistration): AsyncDisposable {
  // Short timeouts: the end of a process waits for its last report.
  const pool = openPool(url, {
    name: `tenantscope ${app} registry`,
    maxConnections: 1,
    variable,
    queryTimeoutMs: 2_000,
  });
  const instance = randomUUID();
  const host = `${hostname()}/${process.pid}`;
  const report = () =>
    write(pool, async (client) => {
      await client.query(
        `insert into control.process (instance, app, host, version) values ($1, $2, $3, $4)
         on conflict (instance) do update set seen_at = clock_timestamp()`,
        [instance, app, host, version],
      );
      const state = failover?.() ?? null;
      if (state !== null)
        await client.query('update control.process set failover = $2 where instance = $1', [instance, state]);
      await client.query(
        `delete from control.process where instance in
           (select instance from control.process where seen_at < clock_timestamp() - interval '1 hour' for update skip locked)`,
      );
    }).catch((error: unknown) => failed('reporting this process to the database failed; retrying in 15 s', error));
  let reporting = report();
  const timer = setInterval(() => {
    reporting = reporting.then(report);
  }, intervalMs);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await reporting;
      // Otherwise a contract step waits for a minute.
      await write(pool, (client) => client.query('delete from control.process where instance = $1', [instance])).catch(
        () => {},
      );
      await pool.end();
    },
  };
}

function write(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<unknown>): Promise<void> {
  return withConnection(pool, async (client) => {
    // The transactions of the jobs login are read-only by default.
    await client.query('begin read write');
    await work(client);
    await client.query('commit');
  });
}
