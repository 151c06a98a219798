// An opened item and a page belong to the previous list.
const listState = { cursor: undefined, key: undefined, open: undefined, event: undefined };

/** The same screen for another tenant; undefined: for all. */
export const selectTenant =
  (tenant: string | undefined) =>
  <Search extends object>(before: Search): Search =>
    ({ ...before, ...listState, tenant }) as Search;
