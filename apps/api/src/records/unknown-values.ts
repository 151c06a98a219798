import { type List, readAddress } from '@tenantscope/contract';
import { QueryTimedOut } from '@tenantscope/store/connection';
import type { FeedHistory } from '@tenantscope/store/read';
import { findNearNames } from '../near-names.ts';
import type { CursorContent } from './cursor.ts';
import { includeAll, type ReadRows } from './hidden-rows.ts';
import { parseRows } from './row-view.ts';
import { omitExpired } from './stored-window.ts';

/** A value of a filter that no stored row has, with values of the newest rows that resemble it. */
export interface UnknownValue {
  readonly parameter: string;
  readonly value: string;
  readonly near: readonly string[];
  /** Whether no row can have it: an address range, for example. */
  readonly isInvalid?: true;
}

type Filters = CursorContent['filters'];

/** The query of a page of all stored rows of a list, newest first. */
export const newestFirst = (axis: string, throughMs: number, history: FeedHistory | null) => ({
  axis,
  ascending: false,
  after: null,
  // Rows that are not deleted by age need no window.
  windows: history === null ? {} : { discoveredAt: omitExpired({ fromMs: null, toMs: throughMs }, history) },
});

/** Each is searched for in the whole history: 75 ms at most at ten million rows (`test/bench/RESULTS.md`, large). */
const searchedMax = 3;
/** Values that resemble another are looked up in this many rows. */
const comparedRowsMax = 1_000;

/** Values of vocabularies that the list has no row of. A note never fails its page: none are found where a search takes too long. */
export async function findUnknownValues(
  operation: List,
  filters: Filters,
  readNewest: ReadRows,
): Promise<readonly UnknownValue[]> {
  const given = Object.entries(operation.filters).flatMap(([parameter, filter]) => {
    const vocabulary = filter.kind === 'texts' ? (filter.vocabulary ?? null) : null;
    const values = (filters[parameter] ?? []).map(String);
    // With commas it is one value or several: which, only the client knows.
    if (vocabulary === null || values.some((value) => value.includes(','))) return [];
    return values.map((value) => ({ parameter, value, path: vocabulary }));
  });
  const noAddresses = findNoAddresses(operation, filters);
  const included = includeAll(operation);
  try {
    const unknown: (typeof given)[number][] = [];
    for (const one of given.slice(0, searchedMax)) {
      const { count, hasMore } = await readNewest({ filters: { ...included, [one.parameter]: [one.value] }, limit: 1 });
      if (count === 0 && !hasMore) unknown.push(one);
    }
    if (unknown.length === 0) return noAddresses;
    const newest = parseRows(await readNewest({ filters: included, limit: comparedRowsMax }));
    const explained = unknown.map(({ parameter, value, path }) => {
      return { parameter, value, near: findNearNames(value, listValues(newest, path)) };
    });
    return [...noAddresses, ...explained].slice(0, searchedMax);
  } catch (error) {
    if (error instanceof QueryTimedOut) return noAddresses;
    throw error;
  }
}

/** Values of filters by address that are no address; the first of them. */
function findNoAddresses(operation: List, filters: Filters): readonly UnknownValue[] {
  return Object.entries(operation.filters)
    .filter(([, filter]) => filter.kind === 'texts' && filter.isAddress)
    .flatMap(([parameter]) => (filters[parameter] ?? []).map((value) => ({ parameter, value: String(value) })))
    .filter(({ value }) => readAddress(value) === null)
    .slice(0, searchedMax)
    .map((one) => ({ ...one, near: [], isInvalid: true }));
}

function listValues(rows: readonly unknown[], path: string): readonly string[] {
  const members = path.split('.');
  const values = rows.map((row) => members.reduce((of, member) => (of as Members | null)?.[member], row));
  return [...new Set(values.filter((value) => typeof value === 'string'))];
}

type Members = Readonly<Record<string, unknown>>;
