import { parseText } from '../search-params.ts';

export interface PlaygroundSearch {
  readonly operation?: string;
  readonly tenant?: string;
  readonly mode?: 'rest' | 'mcp';
  readonly as?: string;
  /** The parameters as JSON: a link shares the request, never the response. */
  readonly with?: string;
}

export const parsePlaygroundSearch = (search: Readonly<Record<string, unknown>>): PlaygroundSearch =>
  ({
    operation: parseText(search.operation),
    tenant: parseText(search.tenant),
    mode: search.mode === 'mcp' ? 'mcp' : undefined,
    as: parseText(search.as),
    with: parseText(search.with),
  }) as PlaygroundSearch;
