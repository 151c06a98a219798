import { parseText } from '../search-params.ts';

export interface KeysSearch {
  readonly view?: string;
  readonly filter?: string;
  readonly key?: string;
  readonly cursor?: string;
}

export const parseKeysSearch = (search: Readonly<Record<string, unknown>>): KeysSearch =>
  ({
    view: parseText(search.view),
    filter: parseText(search.filter),
    key: parseText(search.key),
    cursor: parseText(search.cursor),
  }) as KeysSearch;
