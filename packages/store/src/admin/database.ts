import { createPgDriverFactory } from '@slonik/pg-driver';
import { createPool, type DatabasePool, type DriverFactory, type Interceptor, SchemaValidationError } from 'slonik';
import { named, StoreUnavailable } from '../failure.ts';

// Every row that a typed query brings is checked against its schema, so that a drifted column is an error here and not far away.
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
 * A pool for the operator's questions: ordinary statements, checked rows, few connections. `actor` is who changes something, for the audit; where
 * it is null each transaction has to say so itself.
 */
export function openAdminPool(url: string, actor: string | null, patience = operatorPatience): Promise<DatabasePool> {
  return createPool(actor === null ? url : actingAs(url, actor), {
    driverFactory: givingUpAfter(patience.answerTimeoutMs),
    interceptors: [checkRows],
    connectionTimeout: patience.connectTimeoutMs,
    connectionRetryLimit: 0,
    idleTimeout: 1_000,
    gracefulTerminationTimeout: 1_000,
    maxPoolSize: patience.maxConnections,
    statementTimeout: patience.answerTimeoutMs,
    typeParsers: [
      { name: 'int8', parse: (text) => Number(text) },
      { name: 'timestamptz', parse: (text) => new Date(text).toISOString() },
    ],
  });
}

export interface Patience {
  readonly connectTimeoutMs: number;
  readonly answerTimeoutMs: number;
  readonly maxConnections: number;
}

const operatorPatience: Patience = { connectTimeoutMs: 5_000, answerTimeoutMs: 30_000, maxConnections: 4 };
/** Beyond it the server has not ended the statement itself: it hangs, or is not reached any more. */
const graceMs = 1_000;

/** A server that hangs ends no statement: then the connection is given up, and whoever asked is told. */
function givingUpAfter(answerTimeoutMs: number): DriverFactory {
  const factory = createPgDriverFactory();
  return async (given) => {
    const driver = await factory(given);
    return {
      ...driver,
      async createClient() {
        const client = await driver.createClient();
        return {
          ...client,
          query: (...question) =>
            within(answerTimeoutMs + graceMs, client.query(...question), () => void client.destroy().catch(() => {})),
        };
      },
    };
  };
}

/** Throws StoreUnavailable where the work takes longer. */
export function within<Value>(timeoutMs: number, work: Promise<Value>, giveUp?: () => void): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const timer = setTimeout(() => {
    reject(new StoreUnavailable(`no answer within ${timeoutMs} ms`));
    giveUp?.();
  }, timeoutMs);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}

function actingAs(url: string, actor: string): string {
  const acting = new URL(url);
  const before = acting.searchParams.get('options');
  // In this option a space and a backslash are escaped by a backslash.
  const setting = `-c tenantscope.actor=${actor.replaceAll(/[\\ ]/g, '\\$&')}`;
  acting.searchParams.set('options', before === null ? setting : `${before} ${setting}`);
  return acting.href;
}

/** Runs a question; a failure of the connection gets the name that callers decide by, out of the wrapping it comes in. */
export async function asked<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      const better = named(cause);
      if (better !== cause) throw better;
    }
    throw error;
  }
}
