import { Refusal } from './failure.ts';

interface DatabaseFailure {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly cause?: unknown;
}

/** Does work on a database; a failure to reach, enter or understand it is told with the variable that names it. */
export async function onDatabase<Result>(url: string, variable: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const why = error instanceof Refusal ? null : reason(error);
    throw why === null ? error : new Refusal(`PostgreSQL at ${addressOf(url)} ${why} (${variable})`);
  }
}

function reason(error: unknown): string | null {
  const { name, code = '', message = '', cause } = (error ?? {}) as DatabaseFailure;
  if (code === '28P01' || code === '28000') return 'refuses this login';
  if (code === '3D000') return 'has no such database';
  if (code === '42P01' || code === '3F000') return 'has not all the tables of this version: run «tenantscope migrate»';
  const deeper = cause === undefined ? null : reason(cause);
  if (deeper !== null) return deeper;
  if (name === 'StoreUnavailable' || /^(ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOST|ENET|EPIPE|57P|53|08)/.test(code)) {
    return 'does not answer';
  }
  if (name === 'QueryTimedOut' || /timeout|connection terminated/i.test(message)) return 'does not answer in time';
  return null;
}

function addressOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host || 'a local socket' : 'an address that is no URL';
}
