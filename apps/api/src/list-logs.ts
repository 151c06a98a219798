import {
  ApiError,
  cursorWords,
  type InputOf,
  type LogsFilters,
  type LogsSort,
  listLogs,
  showTime,
  sortKey,
  type Window,
} from '@tenantscope/contract';
import { type History, type ReadModels, readLogsPage, type Watermark } from '@tenantscope/store';
import type { Caller } from './caller.ts';
import type { Cursors } from './cursor.ts';
import { unavailable } from './failure.ts';
import type { Answer } from './invoke.ts';
import { listTimeoutMs, settleWaitMs } from './limits.ts';
import { decidePage, fixBound, type Position, type Standing } from './page-decision.ts';
import type { Turns } from './turns.ts';

export interface LogsSources {
  readonly models: ReadModels;
  readonly watermark: Watermark;
  readonly cursors: Cursors;
  readonly turns: Turns;
}

/** A page of the log as asked for, from its start or continued. */
interface Reading {
  readonly filters: LogsFilters;
  readonly discovered: Window;
  readonly occurred: Window;
  readonly sort: LogsSort;
  readonly limit: number;
  readonly after: Position | null;
}

/** GET /logs: fix the window, wait until it is settled, read, and claim only what is proven. */
export async function answerLogs(
  sources: LogsSources,
  caller: Caller,
  input: InputOf<typeof listLogs>,
): Promise<Answer> {
  const { watermark, models, turns } = sources;
  const tenantId = tenantOf(caller);
  const history = watermark.history('logs');
  const reading =
    input.cursor === null ? begin(input) : resume(sources.cursors, input.cursor, input.limit, tenantId, history);
  const { ascending } = sortKey(reading.sort);

  let standing = proven(watermark);
  const boundMs = fixBound({ toMs: reading.discovered.toMs, firstPage: input.cursor === null }, standing);
  if (boundMs > standing.throughMs) {
    await watermark.reach('logs', boundMs, settleWaitMs);
    standing = proven(watermark);
  }
  const { throughMs } = standing;
  const rows = await turns.take(caller.keyId, () =>
    readLogsPage(models, {
      tenantId,
      sort: reading.sort,
      discovered: { fromMs: reading.discovered.fromMs, toMs: Math.min(boundMs, throughMs) },
      occurred: reading.occurred,
      filters: reading.filters,
      after: reading.after,
      limit: reading.limit,
      timeoutMs: listTimeoutMs,
    }),
  );
  const decision = decidePage({ ascending, boundMs, throughMs, after: reading.after, rows });
  if (decision.kind === 'unsettled')
    throw unavailable(
      'The window ends later than the service can prove complete yet; end it at an earlier time or leave its end open.',
    );

  const nextCursor = decision.next && seal(sources.cursors, tenantId, reading, decision.next, boundMs);
  const pagination = {
    nextCursor,
    hasMore: nextCursor !== null,
    limit: reading.limit,
    resumeCursor: decision.resume && seal(sources.cursors, tenantId, reading, decision.resume, null),
    completeThrough: showTime(throughMs),
    window: { from: shown(reading.discovered.fromMs), to: showTime(boundMs) },
    retainedFrom: shown(history?.retainedFromMs ?? null),
  };
  return { body: rows.close(`,"pagination":${JSON.stringify(pagination)}}`), nextCursor };
}

function begin({ filters, windows, sort, limit }: Extract<InputOf<typeof listLogs>, { cursor: null }>): Reading {
  return { filters, discovered: windows.discoveredAt, occurred: windows.occurredAt, sort, limit, after: null };
}

/** Throws INVALID_CURSOR for what was not issued here for this tenant, or stands where rows have been dropped by age since. */
function resume(
  cursors: Cursors,
  text: string,
  limit: number | null,
  tenantId: string,
  history: History | null,
): Reading {
  const content = cursors.open(text);
  if (content?.operation !== listLogs.name || content.tenantId !== tenantId)
    throw new ApiError('INVALID_CURSOR', cursorWords);
  const { windows, after } = content;
  if (after && history?.droppedBeforeMs != null && after.atMs < history.droppedBeforeMs)
    throw new ApiError(
      'INVALID_CURSOR',
      `The cursor stands before the history that is kept. Start again without it, with discoveredFrom=${showTime(history.retainedFromMs)}.`,
    );
  return {
    filters: content.filters as LogsFilters,
    discovered: windows.discoveredAt ?? open,
    occurred: windows.occurredAt ?? open,
    sort: content.sort as LogsSort,
    limit: limit ?? content.limit,
    after,
  };
}

const open: Window = { fromMs: null, toMs: null };

/** The bound belongs to the sort's own axis; a window on the other axis is a filter and stays. */
function seal(cursors: Cursors, tenantId: string, reading: Reading, after: Position, toMs: number | null): string {
  const { filters, discovered, occurred, sort, limit } = reading;
  return cursors.seal({
    operation: listLogs.name,
    tenantId,
    filters: filters as Readonly<Record<string, readonly (string | boolean)[]>>,
    windows: { discoveredAt: { fromMs: discovered.fromMs, toMs }, occurredAt: occurred },
    sort,
    limit,
    after,
  });
}

function proven(watermark: Watermark): Standing {
  const standing = watermark.settled('logs');
  if (!standing) throw unavailable('How far the log is complete cannot be proven at the moment.');
  return standing;
}

function tenantOf(caller: Caller): string {
  if (!caller.tenant) throw new TypeError('a data request has a tenant');
  return caller.tenant.id;
}

const shown = (ms: number | null): string | null => (ms === null ? null : showTime(ms));
