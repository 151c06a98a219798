/** The store cannot be asked at the moment: unreachable, starting, shutting down, demoted, out of room, or its pool is used up. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

/** The statement ran into its time limit. A narrower question would not. */
export class QueryTimedOut extends Error {
  override name = 'QueryTimedOut';
}

const connectionLost = /^(08|57P|53|25006|58)/;
const systemFailure = /^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOENT)/;
const driverFailure =
  /connection terminated|connection timeout|^timeout expired$|timeout exceeded when trying to connect|query read timeout|client has encountered a connection error|not queryable|connection ended|the database system is/i;
/** A concurrent transaction stood in the way; the same work may be repeated as it is. */
const worthRepeating = new Set(['40001', '40P01', '55P03', '23505']);

/** SQLSTATE, or the system's own name of a network failure. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

export function isUnavailable(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  const code = codeOf(error);
  if (connectionLost.test(code) || systemFailure.test(code)) return true;
  return error instanceof Error && code === '' && driverFailure.test(error.message);
}

export function isWorthRepeating(error: unknown): boolean {
  return worthRepeating.has(codeOf(error));
}

/** Gives a driver's failure the name callers decide by; anything else is a mistake of ours and stays what it is. */
export function named(error: unknown): unknown {
  if (codeOf(error) === '57014') return new QueryTimedOut('the statement timed out', { cause: error });
  if (isUnavailable(error)) return new StoreUnavailable('the database cannot be asked', { cause: error });
  return error;
}
