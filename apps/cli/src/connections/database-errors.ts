import { describePostgresError } from '@tenantscope/runtime';
import { CommandError } from '../command-error.ts';

interface DatabaseError {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly cause?: unknown;
}

/**
 * Runs work on a database; connection, login and schema errors are reported with the variable that configures it. Those of the database of a further cell
 * name the cell. Of several databases all addresses are reported: the error does not tell which one it is of.
 */
export async function withDatabaseErrors<Result>(
  urls: string | readonly string[],
  variable: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const cell = findUnavailableCell(error);
    if (cell !== null) throw new CommandError(cell);
    const cause = error instanceof CommandError ? null : describeReason(error);
    throw cause === null
      ? error
      : new CommandError(`PostgreSQL at ${formatAddresses([urls].flat())} ${cause} (${variable})`);
  }
}

function findUnavailableCell(error: unknown): string | null {
  const { name, message = '', cause } = (error ?? {}) as DatabaseError;
  if (name === 'CellUnavailable') return message;
  return cause === undefined ? null : findUnavailableCell(cause);
}

/** Of a database whose epoch is not open. */
const notServing = 'the server was promoted or restored';
/** By pg_cancel_backend. */
const cancelled = 'PostgreSQL cancelled the statement';

function describeReason(error: unknown): string | null {
  const refused = describePostgresError(error);
  if (refused !== null) return refused;
  const { name, code = '', message = '', cause } = (error ?? {}) as DatabaseError;
  if (message.startsWith(notServing)) return message.slice('the server '.length);
  if (name === 'StoreUnavailable' && message.startsWith(cancelled)) return message.slice('PostgreSQL '.length);
  if (code === '42P01' || code === '3F000') return 'lacks tables of this version; run "tenantscope migrate"';
  const nested = cause === undefined ? null : describeReason(cause);
  if (nested !== null) return nested;
  if (name === 'StoreUnavailable' || /^(ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOST|ENET|EPIPE|57P|53|08)/.test(code)) {
    return 'does not respond';
  }
  if (name === 'QueryTimedOut' || /timeout|connection terminated/i.test(message)) return 'does not respond in time';
  return null;
}

const formatAddresses = (urls: readonly string[]): string => [...new Set(urls.map(formatAddress))].join(' or ');

function formatAddress(url: string): string {
  return URL.canParse(url) ? new URL(url).host || 'a local socket' : 'an invalid URL';
}
