import { parseText } from '../search-params.ts';

export interface FeedsSearch {
  readonly feed?: string;
}

export const parseFeedsSearch = (search: Readonly<Record<string, unknown>>): FeedsSearch =>
  ({ feed: parseText(search.feed) }) as FeedsSearch;
