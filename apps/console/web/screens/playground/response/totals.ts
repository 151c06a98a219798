import type { ListedOperation } from '../../../../api/playground.ts';
import { findMember, rawValue } from '../json/json-members.ts';
import type { FormState } from '../request/form-state.ts';
import type { ResponsePage } from './response-page.ts';

/** What pages that follow each other hold together. */
export interface Totals {
  readonly pages: number;
  readonly rows: number;
  /** Rows whose id was on an earlier line already. */
  readonly duplicates: number;
  /** Places where the order is not carried on from one row to the next, within a page or between two. */
  readonly gaps: number;
  readonly isWhole: boolean;
}

export function countTotals(pages: readonly ResponsePage[], formState: FormState, operation: ListedOperation): Totals {
  // A cursor carries an order that cannot be seen.
  const sort = formState.parameters.cursor ? '' : formState.parameters.sort || operation.sorts[0] || '';
  const axis = sort.replace(/(Asc|Desc)$/, '');
  const sign = sort.endsWith('Asc') ? 1 : -1;
  const ids = new Set<string>();
  let rows = 0;
  let gaps = 0;
  let before: string | null = null;
  for (const { document, parsed: read } of pages)
    for (const row of document ? (read.rows ?? []) : []) {
      if (!document) continue;
      rows += 1;
      ids.add(rawValue(document, findMember(document, row, 'id')));
      const line = findMember(document, row, axis);
      const at = line < 0 ? 'null' : rawValue(document, line);
      if (at === 'null') continue;
      if (before !== null && compare(before, at) * sign > 0) gaps += 1;
      before = at;
    }
  const last = pages.at(-1)?.parsed;
  return {
    pages: pages.length,
    rows,
    duplicates: rows - ids.size,
    gaps,
    isWhole: last?.rows != null && last.nextCursor === null,
  };
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
