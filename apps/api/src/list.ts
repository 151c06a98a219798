import { type InputOf, type List, showTime, sortKey } from '@tenantscope/contract';
import type { ReadModels, RecordPage, SettledFeed, Watermark } from '@tenantscope/store';
import type { Caller } from './caller.ts';
import { tenantIdOf } from './caller.ts';
import type { Cursors } from './cursor.ts';
import { unavailable } from './failure.ts';
import type { Answer } from './invoke.ts';
import { listTimeoutMs, settleWaitMs } from './limits.ts';
import { decidePage, fixBound, type PageDecision, type Position, type Standing } from './page-decision.ts';
import { openWindow, type Reading, readingOf } from './reading.ts';
import type { Turns } from './turns.ts';

export interface ListSources {
  readonly models: ReadModels;
  readonly watermark: Watermark;
  readonly cursors: Cursors;
  readonly turns: Turns;
}

/** What a page is asked of the store with. */
export interface PageQuery {
  readonly tenantId: string;
  readonly axis: string;
  readonly ascending: boolean;
  readonly windows: Reading['windows'];
  readonly filters: Reading['filters'];
  readonly after: Position | null;
  readonly limit: number;
  readonly timeoutMs: number;
}

/** The inside half of a list: how its pages are read, and which feed's watermark it stands on. */
export interface ListSource {
  readonly feed: SettledFeed;
  /** Whether its rows are dropped by age. */
  readonly ages: boolean;
  read(models: ReadModels, query: PageQuery): Promise<RecordPage>;
}

/**
 * A page of any list: fix the window, wait until it is settled, read, and claim only what is proven. The watermark gates sorts on the write clock
 * and windows on it; on upstream times the committed state is served and nothing waits.
 */
export async function answerList<L extends List>(
  sources: ListSources,
  operation: L,
  source: ListSource,
  caller: Caller,
  input: InputOf<L>,
): Promise<Answer> {
  const { watermark, models, turns, cursors } = sources;
  const tenantId = tenantIdOf(caller);
  const history = source.ages ? watermark.history(source.feed) : null;
  const reading = readingOf(cursors, operation, tenantId, input, history);
  const { axis, ascending } = sortKey(reading.sort as `${string}Asc`);
  const gate = gateOf(operation, axis, reading);

  let standing = proven(watermark, source.feed);
  let boundMs: number | null = null;
  if (gate !== null) {
    boundMs = fixBound({ toMs: windowOf(reading, gate).toMs, firstPage: reading.firstPage }, standing);
    if (boundMs > standing.throughMs) {
      await watermark.reach(source.feed, boundMs, settleWaitMs);
      standing = proven(watermark, source.feed);
    }
  }
  const { throughMs } = standing;
  const bounded = gate === null || boundMs === null ? reading.windows : withBound(reading, gate, boundMs);
  const rows = await turns.take(caller.keyId, () =>
    source.read(models, {
      tenantId,
      axis,
      ascending,
      windows: gate === null || boundMs === null ? bounded : withBound(reading, gate, Math.min(boundMs, throughMs)),
      filters: reading.filters,
      after: reading.after,
      limit: reading.limit,
      timeoutMs: listTimeoutMs,
    }),
  );
  const decision: PageDecision =
    gate === axis && boundMs !== null
      ? decidePage({ ascending, boundMs, throughMs, after: reading.after, rows })
      : decideUpstream({ settled: boundMs === null || boundMs <= throughMs, after: reading.after, rows });
  if (decision.kind === 'unsettled')
    throw unavailable(
      'The window ends later than the service can prove complete yet; end it at an earlier time or leave its end open.',
    );

  const seal = (after: Position | null, windows: Reading['windows']): string =>
    cursors.seal({
      operation: operation.name,
      tenantId,
      filters: reading.filters,
      windows,
      sort: reading.sort,
      limit: reading.limit,
      after,
    });
  const nextCursor = decision.next && seal(decision.next, bounded);
  const own = bounded[axis] ?? openWindow;
  const pagination = {
    nextCursor,
    hasMore: nextCursor !== null,
    limit: reading.limit,
    // The bound belongs to the sort's own axis; a window on another axis is a filter and stays.
    resumeCursor: ascending ? seal(decision.resume, { ...bounded, [axis]: { ...own, toMs: null } }) : null,
    completeThrough: showTime(throughMs),
    window: { from: shown(own.fromMs), to: shown(own.toMs) },
    ...(source.ages ? { retainedFrom: shown(history?.retainedFromMs ?? null) } : {}),
  };
  return { body: rows.close(`,"pagination":${JSON.stringify(pagination)}}`), nextCursor };
}

/** The write-clock axis whose window has to be settled: the sort's own, or another that carries a bound. */
function gateOf(operation: List, axis: string, reading: Reading): string | null {
  const write = Object.entries(operation.windows).find(([, { clock }]) => clock === 'write')?.[0];
  if (write === undefined || write === axis) return write ?? null;
  const { fromMs, toMs } = windowOf(reading, write);
  return fromMs === null && toMs === null ? null : write;
}

/** On upstream times late rows enter old windows: positions follow the rows, nothing more is claimed. */
function decideUpstream(page: { settled: boolean; after: Position | null; rows: RecordPage }): PageDecision {
  if (!page.settled) return { kind: 'unsettled' };
  const { hasMore, last } = page.rows;
  return { kind: 'page', next: hasMore ? last : null, resume: last ?? page.after };
}

const windowOf = (reading: Reading, axis: string) => reading.windows[axis] ?? openWindow;

const withBound = (reading: Reading, axis: string, toMs: number): Reading['windows'] => ({
  ...reading.windows,
  [axis]: { ...windowOf(reading, axis), toMs },
});

function proven(watermark: Watermark, feed: SettledFeed): Standing {
  const standing = watermark.settled(feed);
  if (!standing) throw unavailable('How far the feed is complete cannot be proven at the moment.');
  return standing;
}

const shown = (ms: number | null): string | null => (ms === null ? null : showTime(ms));
