import {
  type FeedName,
  formatTime,
  type List,
  type OperationInput,
  parseSort,
  type Window,
} from '@tenantscope/contract';
import type { StatementRunner } from '@tenantscope/store/connection';
import type { PagePosition, ReadModels, RecordPage, Watermark } from '@tenantscope/store/read';
import type { Caller } from '../auth/caller.ts';
import { requireSlotOwner, requireTenantId } from '../auth/caller.ts';
import type { OperationResult } from '../invoke.ts';
import { listTimeoutMs } from '../limits.ts';
import type { ConcurrencyLimiter } from '../throttling/concurrency-limit.ts';
import type { CursorCodec } from './cursor.ts';
import { findReasons, noReasons } from './empty-page.ts';
import { type ListQuery, parseListQuery, unboundedWindow } from './list-query.ts';
import { decidePage, type PageDecision } from './page-decision.ts';
import { explainPage } from './page-note.ts';
import { type RowViews, writeView } from './row-view.ts';
import { requireWatermark, settleUpperBound, windowUnsettled } from './settled-bound.ts';
import { omitExpired } from './stored-window.ts';
import { newestFirst } from './unknown-values.ts';

export interface ReadDependencies {
  readonly models: ReadModels;
  readonly watermark: Watermark;
  readonly cursors: CursorCodec;
  readonly readLimiter: ConcurrencyLimiter;
}

/** The query of one page, as the store takes it. */
export interface PageQuery {
  readonly tenantId: string;
  readonly axis: string;
  readonly ascending: boolean;
  readonly windows: ListQuery['windows'];
  readonly filters: ListQuery['filters'];
  readonly after: PagePosition | null;
  readonly limit: number;
  readonly timeoutMs: number;
  /** Cancels the statement: the client disconnected. */
  readonly signal: AbortSignal;
  readonly runStatement: StatementRunner;
}

type Filters = PageQuery['filters'];

/** How the pages of a list are read, and which feed's watermark settles it. */
export interface ListSource {
  readonly feed: FeedName;
  /** Whether rows are deleted by age. */
  readonly hasRetention: boolean;
  /** The id of the record that the list is about: its cursors continue this list alone. */
  readonly about?: string;
  /** How rows become events of other schemas, on lists with views. */
  readonly views?: RowViews;
  /** Further members of the pagination. */
  describe?(windows: ListQuery['windows']): object;
  /** Replaces names in the filters of a first page by what they mean at that time; later pages have the result in their cursor. */
  resolveFilters?(
    models: ReadModels,
    query: Pick<PageQuery, 'tenantId' | 'filters' | 'timeoutMs' | 'signal'>,
  ): Promise<Filters>;
  read(models: ReadModels, query: PageQuery): Promise<RecordPage>;
}

/**
 * Reads a page of any list: resolve the window, wait until it is settled, read, and report only what is settled. The watermark applies to sorts
 * and windows on the write clock; on upstream times the committed state is served without waiting.
 */
export async function handleList<L extends List>(
  sources: ReadDependencies,
  operation: L,
  source: ListSource,
  caller: Caller,
  input: OperationInput<L>,
): Promise<OperationResult> {
  const { watermark, models, readLimiter, cursors } = sources;
  const tenantId = requireTenantId(caller);
  const history = source.hasRetention ? watermark.history(source.feed, tenantId) : null;
  const name = source.about === undefined ? operation.name : `${operation.name}/${source.about}`;
  // A list about a record has no parameter of its window.
  const fromParameter = source.about === undefined ? operation.windows.discoveredAt?.from : undefined;
  const query = parseListQuery(cursors, { name, fromParameter }, tenantId, input, history);
  const { axis, ascending } = parseSort(query.sort as `${string}Asc`);
  const settledAxis = watermarkAxis(operation, axis, query);

  const { boundMs, settled } =
    settledAxis === null
      ? { boundMs: null, settled: requireWatermark(watermark, source.feed, tenantId) }
      : await settleUpperBound(watermark, source.feed, tenantId, {
          toMs: query.settledMs ?? getWindow(query, settledAxis).toMs,
          firstPage: query.firstPage,
        });
  const { throughMs } = settled;
  // The window of another axis is not frozen: a record that changes between two pages would leave it, and no page would have it.
  const frozenMs = settledAxis === axis ? boundMs : null;
  const bounded = frozenMs === null ? query.windows : withBound(query, axis, frozenMs);
  const windows = frozenMs === null ? query.windows : withBound(query, axis, Math.min(frozenMs, throughMs));
  const stored =
    history === null
      ? windows
      : { ...windows, discoveredAt: omitExpired(windows.discoveredAt ?? unboundedWindow, history) };
  const { after, limit } = query;
  const signal = caller.disconnectSignal();
  const { rows, filters, reasons } = await readLimiter.run(requireSlotOwner(caller), signal, async (runStatement) => {
    const shared = { tenantId, timeoutMs: listTimeoutMs, signal, runStatement };
    const filters = query.firstPage
      ? ((await source.resolveFilters?.(models, { ...shared, filters: query.filters })) ?? query.filters)
      : query.filters;
    const page = { ...shared, axis, ascending, windows: stored, after };
    const rows = await source.read(models, { ...page, filters, limit });
    const isEmpty = query.firstPage && rows.count === 0 && !rows.hasMore && !caller.goesOnWaiting;
    if (!isEmpty || source.about !== undefined) return { filters, rows, reasons: noReasons };
    const reasons = await findReasons(operation, filters, {
      page: (rows) => source.read(models, { ...page, ...rows }),
      newest: (rows) => source.read(models, { ...shared, ...newestFirst(axis, throughMs, history), ...rows }),
    });
    return { filters, rows, reasons };
  });
  const decision: PageDecision =
    frozenMs !== null
      ? decidePage({ ascending, boundMs: frozenMs, throughMs, after: query.after, rows })
      : decideUpstreamPage({ settled: boundMs === null || boundMs <= throughMs, after: query.after, rows });
  if (decision.kind === 'unsettled') throw windowUnsettled();

  const encodeCursor = (after: PagePosition | null, windows: ListQuery['windows']): string =>
    cursors.encode({
      operation: name,
      tenantId,
      filters,
      isPrivate: query.isPrivate || filters !== query.filters,
      windows,
      sort: query.sort,
      limit,
      after,
      view: query.view,
      settledMs: frozenMs === null ? (boundMs ?? undefined) : undefined,
    });
  const nextCursor = decision.next && encodeCursor(decision.next, bounded);
  const own = bounded[axis] ?? unboundedWindow;
  const pagination = {
    nextCursor,
    hasMore: nextCursor !== null,
    limit,
    // The bound belongs to the sort axis; a window on another axis is a filter and stays.
    resumeCursor: ascending ? encodeCursor(decision.resume, { ...bounded, [axis]: { ...own, toMs: null } }) : null,
    completeThrough: formatTime(throughMs),
    unreadSince: formatInstant(watermark.unreadSince(source.feed)),
    window: formatWindow(own),
    note: explainPage({
      rowCount: rows.count,
      window: own,
      nowMs: settled.databaseNowMs,
      retainedFromMs: history?.retainedFromMs ?? null,
      ignored: query.ignored,
      ...reasons,
    }),
    ...source.describe?.(bounded),
    ...(source.hasRetention ? { retainedFrom: formatInstant(history?.retainedFromMs ?? null) } : {}),
  };
  const isTail = ascending && frozenMs !== null && getWindow(query, axis).toMs === null && nextCursor === null;
  const end = `,"pagination":${JSON.stringify(pagination)}}`;
  return {
    body: query.view ? writeView(source.views, query.view, rows, end) : rows.close(end),
    nextCursor,
    tail: isTail ? { tenantId, feed: source.feed, throughMs: boundMs ?? throughMs, isEmpty: rows.count === 0 } : null,
  };
}

/**
 * The write-clock axis whose window must be settled: the sort axis, or another axis with a bound. On another axis the window is a filter: the first page waits
 * for its end, and later pages until they have every row that the first page could have.
 */
function watermarkAxis(operation: List, axis: string, query: ListQuery): string | null {
  const write = Object.entries(operation.windows).find(([, { clock }]) => clock === 'write')?.[0];
  if (write === undefined || write === axis) return write ?? null;
  const { fromMs, toMs } = getWindow(query, write);
  return fromMs === null && toMs === null ? null : write;
}

/** On upstream times late rows enter old windows: positions follow the rows, and completeness is not reported. */
function decideUpstreamPage(page: { settled: boolean; after: PagePosition | null; rows: RecordPage }): PageDecision {
  if (!page.settled) return { kind: 'unsettled' };
  const { hasMore, last } = page.rows;
  return { kind: 'page', next: hasMore ? last : null, resume: last ?? page.after };
}

const getWindow = (query: ListQuery, axis: string) => query.windows[axis] ?? unboundedWindow;

const withBound = (query: ListQuery, axis: string, toMs: number): ListQuery['windows'] => ({
  ...query.windows,
  [axis]: { ...getWindow(query, axis), toMs },
});

export const formatWindow = ({ fromMs, toMs }: Window) => ({ from: formatInstant(fromMs), to: formatInstant(toMs) });

export const formatInstant = (ms: number | null | undefined): string | null => (ms == null ? null : formatTime(ms));
