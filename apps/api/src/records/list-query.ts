import {
  ApiError,
  formatTime,
  invalidCursorMessage,
  type ListContinuation,
  type ListStart,
  type RowView,
  type Window,
} from '@tenantscope/contract';
import type { FeedHistory, PagePosition } from '@tenantscope/store/read';
import type { CursorCodec, CursorContent } from './cursor.ts';

/** The parsed query of a list page, from the start or continued by a cursor. */
export interface ListQuery {
  readonly filters: CursorContent['filters'];
  /** By axis. */
  readonly windows: Readonly<Record<string, Window>>;
  /** Whether the filters hold more than the client sent. */
  readonly isPrivate: boolean;
  readonly sort: string;
  readonly limit: number;
  readonly after: PagePosition | null;
  readonly firstPage: boolean;
  /** As in the cursor. */
  readonly settledMs: number | undefined;
  /** What the rows are, if not those of the reference. */
  readonly view: RowView | undefined;
  /** Parameters that were sent with a cursor and are not applied. */
  readonly ignored: readonly string[];
}

export const unboundedWindow: Window = { fromMs: null, toMs: null };

interface ContinuedList {
  readonly name: string;
  /** The parameter that begins the list where the stored history begins. */
  readonly fromParameter?: string | undefined;
}

/** Throws INVALID_CURSOR for a cursor that was not issued for this tenant and list, or whose position is older than the retained history. */
export function parseListQuery(
  cursors: CursorCodec,
  { name, fromParameter }: ContinuedList,
  tenantId: string,
  input: ListStart | ListContinuation,
  history: FeedHistory | null,
): ListQuery {
  if (input.cursor === null) {
    const { filters, windows, sort, limit, view } = input;
    return {
      filters: filters as CursorContent['filters'],
      windows,
      sort,
      limit,
      after: null,
      firstPage: true,
      settledMs: undefined,
      isPrivate: false,
      ignored: [],
      view,
    };
  }
  const content = cursors.decode(input.cursor);
  if (content?.operation !== name || content.tenantId !== tenantId)
    throw new ApiError('INVALID_CURSOR', invalidCursorMessage);
  const { filters, isPrivate, windows, sort, after, view, settledMs } = content;
  if (after && history?.droppedBeforeMs != null && after.atMs < history.droppedBeforeMs) {
    const begin = formatTime(history.retainedFromMs);
    const restart =
      fromParameter === undefined ? `; rows are stored since ${begin}` : `, with ${fromParameter}=${begin}`;
    throw new ApiError(
      'INVALID_CURSOR',
      `The cursor is older than the retained history. Start again without it${restart}.`,
    );
  }
  return {
    filters,
    isPrivate,
    windows,
    sort,
    limit: input.limit ?? content.limit,
    after,
    firstPage: false,
    settledMs,
    ignored: input.ignored,
    view,
  };
}
