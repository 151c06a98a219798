import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApiError,
  type CursorFile,
  type PolledPage,
  pollPages,
  type Requester,
  RequestTimeout,
} from '@tenantscope/client';

/** What the pollers of all tenants share. */
export interface Polling {
  readonly request: Requester;
  readonly path: string;
  /** Of the first request of a tenant. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly cursors: CursorFile;
  /** End after the newest row. */
  readonly once: boolean;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  /** Resolves when the rows of the page are written. */
  write(page: PolledPage): Promise<void>;
  /** One line for the operator. */
  report(text: string): void;
}

/** A command that ends, for example of cron, gives up; one that waits for new rows does not. */
const onceRetryMs = 300_000;
/** One tenant whose requests fail delays the others no longer. Those after it, perhaps of the same cell, are not repeated in its turn. */
const tenantRetryMs = 30_000;
/** A rate limit is that of the key: the next tenant would be refused as well, and the last ones in every turn. */
const throttledMs = 300_000;
/** A tenant with many rows gives way to the others after these. */
const pagesPerTurn = 20;

/** Rows of one tenant: the one of the key, or the named one. */
export async function tailTenant(polling: Polling, tenantId: string | undefined): Promise<readonly string[]> {
  const { request, path, parameters, cursors, once, intervalMs, signal } = polling;
  const name = tenantId ?? '';
  const pages = pollPages(request, path, {
    parameters,
    cursor: cursors.get(name),
    tenantId,
    signal,
    intervalMs: once ? null : intervalMs,
    ...(once ? { retryForMs: onceRetryMs } : {}),
  });
  for await (const page of pages) {
    await polling.write(page);
    await cursors.set(name, page.pagination.resumeCursor);
  }
  return [];
}

/**
 * Rows of every tenant of the key, in turns; tenants that are added later are included. Requests that fail for one
 * tenant are reported and tried again in the next turn. Returns the failures of the last turn.
 */
export async function tailAllTenants(polling: Polling): Promise<readonly string[]> {
  while (true) {
    const tenantIds = await listTenants(polling);
    let isBehind = false;
    const problems: string[] = [];
    let retryForMs = tenantRetryMs;
    for (const tenantId of tenantIds) {
      try {
        isBehind = (await takeTurn(polling, tenantId, retryForMs)) || isBehind;
      } catch (error) {
        if (error instanceof RequestTimeout) retryForMs = 0;
        problems.push(`tenant ${tenantId}: ${describeOfTenant(error, polling.signal)}`);
      }
    }
    if (polling.once && !isBehind) return problems;
    for (const problem of problems) polling.report(problem);
    if (!isBehind) await sleep(polling.intervalMs, undefined, { signal: polling.signal });
  }
}

async function listTenants({ request, once, signal }: Polling): Promise<readonly string[]> {
  const { data } = await request('/tenants', { signal, ...(once ? { retryForMs: onceRetryMs } : {}) });
  return (data as readonly { readonly id: string }[]).map(({ id }) => id);
}

/** Whether the tenant has more rows than fit into one turn. */
async function takeTurn(
  { request, path, parameters, cursors, signal, write }: Polling,
  tenantId: string,
  retryForMs: number,
): Promise<boolean> {
  const cursor = cursors.get(tenantId);
  let count = 0;
  const pages = pollPages(request, path, {
    parameters,
    cursor,
    tenantId,
    signal,
    intervalMs: null,
    retryForMs,
    throttledForMs: throttledMs,
  });
  for await (const page of pages) {
    await write(page);
    await cursors.set(tenantId, page.pagination.resumeCursor);
    if (++count === pagesPerTurn) return page.pagination.hasMore;
  }
  return false;
}

/** Throws again what concerns every tenant: a refused key, an abort, a file or an output that cannot be written. */
function describeOfTenant(error: unknown, signal: AbortSignal): string {
  signal.throwIfAborted();
  if (error instanceof RequestTimeout) return error.message;
  if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return error.message;
  throw error;
}
