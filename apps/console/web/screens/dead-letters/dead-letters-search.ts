import { parseText } from '../search-params.ts';

export interface DeadLettersSearch {
  readonly reason?: string;
  readonly state?: string;
  readonly topic?: string;
  /** Minutes in UTC, both inclusive. */
  readonly from?: string;
  readonly to?: string;
  readonly tenant?: string;
  readonly cursor?: string;
  /** The id of the dead letter that is open. */
  readonly open?: string;
}

/** Filters to change; undefined removes a filter. */
export type DeadLettersSearchChange = { readonly [name in keyof DeadLettersSearch]: string | undefined };

export const parseDeadLettersSearch = (search: Readonly<Record<string, unknown>>): DeadLettersSearch =>
  ({
    reason: parseText(search.reason),
    state: parseText(search.state),
    topic: parseText(search.topic),
    from: parseText(search.from),
    to: parseText(search.to),
    tenant: parseText(search.tenant),
    cursor: parseText(search.cursor),
    open: parseText(search.open),
  }) as DeadLettersSearch;
