import { parseText } from '../search-params.ts';

export interface AuditSearch {
  /** Days, both inclusive. */
  readonly from?: string;
  readonly to?: string;
  /** An actor as in events, or a kind of actor: `cli`. */
  readonly actor?: string;
  readonly action?: string;
  /** The type of the target, and its id. */
  readonly subject?: string;
  readonly id?: string;
  readonly cursor?: string;
  readonly event?: number;
}

export const parseAuditSearch = (search: Readonly<Record<string, unknown>>): AuditSearch =>
  ({
    from: parseText(search.from),
    to: parseText(search.to),
    actor: parseText(search.actor),
    action: parseText(search.action),
    subject: parseText(search.subject),
    id: parseText(search.id),
    cursor: typeof search.cursor === 'number' ? String(search.cursor) : parseText(search.cursor),
    event: typeof search.event === 'number' ? search.event : undefined,
  }) as AuditSearch;
