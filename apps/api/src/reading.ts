import {
  ApiError,
  cursorWords,
  type List,
  type ListContinuation,
  type ListStart,
  showTime,
  type Window,
} from '@tenantscope/contract';
import type { History } from '@tenantscope/store';
import type { CursorContent, Cursors } from './cursor.ts';
import type { Position } from './page-decision.ts';

/** A list as asked for, from its start or continued. */
export interface Reading {
  readonly filters: CursorContent['filters'];
  /** By axis. */
  readonly windows: Readonly<Record<string, Window>>;
  readonly sort: string;
  readonly limit: number;
  readonly after: Position | null;
  readonly firstPage: boolean;
}

export const openWindow: Window = { fromMs: null, toMs: null };

/** Throws INVALID_CURSOR for what was not issued here for this tenant and list, or stands where rows have been dropped by age since. */
export function readingOf(
  cursors: Cursors,
  operation: List,
  tenantId: string,
  input: ListStart | ListContinuation,
  history: History | null,
): Reading {
  if (input.cursor === null) {
    const { filters, windows, sort, limit } = input;
    return { filters: filters as CursorContent['filters'], windows, sort, limit, after: null, firstPage: true };
  }
  const content = cursors.open(input.cursor);
  if (content?.operation !== operation.name || content.tenantId !== tenantId)
    throw new ApiError('INVALID_CURSOR', cursorWords);
  const { filters, windows, sort, after } = content;
  if (after && history?.droppedBeforeMs != null && after.atMs < history.droppedBeforeMs)
    throw new ApiError(
      'INVALID_CURSOR',
      `The cursor stands before the history that is kept. Start again without it, with discoveredFrom=${showTime(history.retainedFromMs)}.`,
    );
  return { filters, windows, sort, limit: input.limit ?? content.limit, after, firstPage: false };
}
