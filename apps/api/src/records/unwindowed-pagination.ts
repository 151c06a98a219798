/** The window of a cursor whose end is the instant of the first page, for which every page is evaluated. */
export const instantWindow = 'evaluated';

/** The pagination of a list without windows: it has neither a watermark nor a position to resume at. */
export const describeUnwindowedPage = (nextCursor: string | null, limit: number, note: string | null) => ({
  nextCursor,
  hasMore: nextCursor !== null,
  limit,
  resumeCursor: null,
  completeThrough: null,
  unreadSince: null,
  window: { from: null, to: null },
  note,
});
