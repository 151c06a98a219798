import { createPgDriverFactory } from '@slonik/pg-driver';
import { createPool, type DatabasePool, type DriverFactory, type Interceptor, SchemaValidationError } from 'slonik';
import { addSetting, parsePooledUrl } from '../connection/database-url.ts';
import { classifyError, StoreUnavailable } from '../connection/errors.ts';
import { type Passwords, retryWithOtherPassword } from '../connection/passwords.ts';

// Checks every row of a typed query against its schema, so that a column that drifted fails here and not far away.
const checkRows: Interceptor = {
  name: 'check rows',
  transformRow: (context, query, row) => {
    const { resultParser } = context;
    if (!resultParser) return row;
    const parsed = resultParser['~standard'].validate(row);
    if (parsed instanceof Promise) throw new TypeError('row schemas are synchronous');
    if (parsed.issues) throw new SchemaValidationError(query, row, parsed.issues);
    return parsed.value as typeof row;
  },
};

/**
 * A pool for operators: ordinary statements, rows checked against their schemas, few connections. `actor` is named in the audit log; where it is
 * null, each transaction has to name its own.
 */
export function openAdminPool(url: string, actor: string | null, patience = operatorLimits): Promise<DatabasePool> {
  const { connectionString, ssl, passwords } = parsePooledUrl(url);
  const pool = createPool(actor === null ? connectionString : addActor(connectionString, actor), {
    ...(ssl === undefined ? {} : { ssl }),
    ...(passwords === null ? {} : { password: passwords.choose }),
    driverFactory: createDriver(patience.queryTimeoutMs, passwords),
    interceptors: [checkRows],
    connectionTimeout: patience.connectTimeoutMs,
    connectionRetryLimit: 0,
    idleTimeout: 1_000,
    gracefulTerminationTimeout: 1_000,
    maxPoolSize: patience.maxConnections,
    statementTimeout: patience.queryTimeoutMs,
    typeParsers: [
      { name: 'int8', parse: (text) => Number(text) },
      { name: 'timestamptz', parse: (text) => new Date(text).toISOString() },
    ],
  });
  return translateErrors(pool);
}

export interface PoolLimits {
  readonly connectTimeoutMs: number;
  readonly queryTimeoutMs: number;
  readonly maxConnections: number;
}

const operatorLimits: PoolLimits = { connectTimeoutMs: 5_000, queryTimeoutMs: 30_000, maxConnections: 4 };
/** After this the server has not ended the statement itself: it hangs or is unreachable. */
const graceMs = 1_000;

/**
 * A server that hangs ends no statement: then the connection is dropped and the call fails. A new connection follows a rotated password.
 */
function createDriver(queryTimeoutMs: number, passwords: Passwords | null): DriverFactory {
  const factory = createPgDriverFactory();
  return async (given) => {
    const driver = await factory(given);
    const connect = passwords === null ? driver.createClient : () => connectWith(passwords, driver.createClient);
    return {
      ...driver,
      async createClient() {
        const client = await connect();
        return {
          ...client,
          query: (...parameters) =>
            withTimeout(
              queryTimeoutMs + graceMs,
              client.query(...parameters),
              () => void client.destroy().catch(() => {}),
            ),
        };
      },
    };
  };
}

function connectWith<Client>(passwords: Passwords, connect: () => Promise<Client>): Promise<Client> {
  return retryWithOtherPassword(passwords, async () => {
    const chosen = passwords.choose();
    try {
      const client = await connect();
      passwords.report(chosen, null);
      return client;
    } catch (error) {
      passwords.report(chosen, error);
      throw error;
    }
  });
}

/** Throws StoreUnavailable where the work takes longer. */
export function withTimeout<Value>(timeoutMs: number, work: Promise<Value>, onTimeout?: () => void): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const timer = setTimeout(() => {
    reject(new StoreUnavailable(`no response within ${timeoutMs} ms`));
    onTimeout?.();
  }, timeoutMs);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}

/** The URL of a connection whose changes the audit log attributes to `actor`. */
export const addActor = (url: string, actor: string): string => addSetting(url, 'tenantscope.actor', actor);

/** Unwraps a failed query: failures of the connection become StoreUnavailable or QueryTimedOut, which callers handle. */
export async function translateErrors<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      const better = classifyError(cause);
      if (better !== cause) throw better;
    }
    throw error;
  }
}
