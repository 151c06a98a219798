import { describePostgresError } from '@tenantscope/runtime';

/** The database is unavailable: unreachable, starting, shutting down, demoted, out of resources, its pool is exhausted, or an administrator cancelled the statement. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

/** The statement exceeded its time limit. A narrower query may not. */
export class QueryTimedOut extends Error {
  override name = 'QueryTimedOut';
}

const connectionLost = /^(08|57P|53|25006|58)/;
const systemFailure = /^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOENT)/;
const driverFailure =
  /connection terminated|connection timeout|^timeout expired$|timeout exceeded when trying to connect|query read timeout|client has encountered a connection error|not queryable|connection ended|the database system is/i;
/** Conflicts with a concurrent transaction; the same work may be retried unchanged. */
const retryableCodes = new Set(['40001', '40P01', '55P03', '23505']);

/** SQLSTATE, or the system's own name of a network failure. */
export function readErrorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

export function isUnavailable(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  const code = readErrorCode(error);
  if (connectionLost.test(code) || systemFailure.test(code)) return true;
  if (error instanceof Error && code === '' && driverFailure.test(error.message)) return true;
  // A refused login or certificate can be repaired without a restart of this process.
  return describePostgresError(error) !== null;
}

export function isRetryable(error: unknown): boolean {
  return retryableCodes.has(readErrorCode(error));
}

/** The server was promoted or restored, and nothing is served or written yet: the message of the database says what to do. */
const isEpochMissing = (error: unknown): boolean =>
  readErrorCode(error) === '57P03' && (error as Error).message.startsWith('the server was promoted or restored');

/**
 * The message of SQLSTATE 57014 after `pg_cancel_backend`; the other one is of a statement timeout. A translated one counts as a timeout. Not of `isUnavailable`:
 * a migration whose step an administrator cancels has failed, and is not repeated.
 */
const cancelledByUser = 'canceling statement due to user request';

/** Turns a driver's error into the class that callers handle; any other error is a bug and is returned unchanged. `variable` has the URL. */
export function classifyError(error: unknown, variable?: string): unknown {
  if (readErrorCode(error) === '57014')
    return (error as Error).message === cancelledByUser
      ? new StoreUnavailable('PostgreSQL cancelled the statement for an administrator', { cause: error })
      : new QueryTimedOut('the statement timed out', { cause: error });
  if (!isUnavailable(error)) return error;
  if (error instanceof StoreUnavailable) return error;
  const reason = describePostgresError(error);
  const message = isEpochMissing(error)
    ? (error as Error).message
    : reason === null
      ? 'the database is unavailable'
      : `PostgreSQL ${reason}`;
  return new StoreUnavailable(variable === undefined ? message : `${message} (${variable})`, { cause: error });
}
