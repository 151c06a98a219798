// What stands open or is paged to belongs to what was listed before.
const ofOneList = { cursor: undefined, key: undefined, letter: undefined, event: undefined };

/** The same view of another tenant; undefined: of all. */
export const narrowedTo =
  (tenant: string | undefined) =>
  <Search extends object>(before: Search): Search =>
    ({ ...before, ...ofOneList, tenant }) as Search;
