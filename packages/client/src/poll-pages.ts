import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from './api-error.ts';
import type { Requester, RequestOptions, RequestParameters } from './requester.ts';

export interface Pagination {
  readonly hasMore: boolean;
  /** Where the next poll continues, also when there are no rows. */
  readonly resumeCursor: string;
  /** No row can appear at or before this time; null before anything was read. */
  readonly completeThrough: string | null;
}

export interface PolledPage {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly pagination: Pagination;
}

export interface PollOptions extends Pick<RequestOptions, 'tenantId' | 'retryForMs' | 'throttledForMs' | 'signal'> {
  /** Of the first request, when there is no cursor: an ascending sort, the start of the window, filters. */
  readonly parameters: RequestParameters;
  /** The `resumeCursor` of the last page that was stored; null to begin. */
  readonly cursor: string | null;
  /** Pause after the last page before the next poll. null: the iteration ends there. */
  readonly intervalMs: number | null;
}

/**
 * Pages of an ascending list, from the cursor on: each row once, in order. A caller that stores the `resumeCursor` of a
 * page after its rows, and continues from there, receives every row at least once. Throws as the requester does.
 */
export async function* pollPages(
  request: Requester,
  path: string,
  options: PollOptions,
): AsyncGenerator<PolledPage, void> {
  const { parameters, intervalMs, tenantId, retryForMs, throttledForMs, signal } = options;
  let { cursor } = options;
  while (true) {
    const page = readPage(
      await request(path, {
        parameters: cursor === null ? parameters : { cursor },
        tenantId,
        signal,
        ...(retryForMs === undefined ? {} : { retryForMs }),
        ...(throttledForMs === undefined ? {} : { throttledForMs }),
      }),
    );
    yield page;
    cursor = page.pagination.resumeCursor;
    if (page.pagination.hasMore) continue;
    if (intervalMs === null) return;
    await sleep(intervalMs, undefined, { signal });
  }
}

function readPage({ data, pagination }: Readonly<Record<string, unknown>>): PolledPage {
  if (!Array.isArray(data) || !isObject(pagination))
    throw new Error('The response is not a page: it has no data or no pagination.');
  const { hasMore, resumeCursor, completeThrough = null } = pagination;
  if (typeof hasMore !== 'boolean' || typeof resumeCursor !== 'string') {
    throw new Error('The response cannot be continued: it has no resumeCursor. Use an ascending sort.');
  }
  return { rows: data, pagination: { hasMore, resumeCursor, completeThrough: completeThrough as string | null } };
}
