import { createPgDriverFactory } from '@slonik/pg-driver';
import { createPool, type DatabasePool, type Interceptor, SchemaValidationError } from 'slonik';
import { named } from '../failure.ts';

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
export function openAdminPool(url: string, actor: string | null): Promise<DatabasePool> {
  return createPool(actor === null ? url : actingAs(url, actor), {
    driverFactory: createPgDriverFactory(),
    interceptors: [checkRows],
    connectionTimeout: 5_000,
    connectionRetryLimit: 0,
    idleTimeout: 1_000,
    gracefulTerminationTimeout: 1_000,
    maxPoolSize: 4,
    statementTimeout: 30_000,
    typeParsers: [
      { name: 'int8', parse: (text) => Number(text) },
      { name: 'timestamptz', parse: (text) => new Date(text).toISOString() },
    ],
  });
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
