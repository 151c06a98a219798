import type { List } from '@tenantscope/contract';
import { QueryTimedOut } from '@tenantscope/store/connection';
import type { RecordPage } from '@tenantscope/store/read';
import type { CursorContent } from './cursor.ts';

type Filters = CursorContent['filters'];

/** Reads the first rows of a list with other filters. */
export type ReadRows = (rows: { readonly filters: Filters; readonly limit: number }) => Promise<RecordPage>;

/** Flags by these names add rows that a list leaves out by default, with their filter values. */
export const includeAll = ({ filters }: List): Filters =>
  Object.fromEntries(
    Object.entries(filters)
      .filter(([name, { kind }]) => kind === 'flag' && name.startsWith('include'))
      .map(([name]) => [name, [true]]),
  );

/** The flags that an empty list lacks: with them it has rows. A note never fails its page. */
export async function findMissingFlags(operation: List, filters: Filters, read: ReadRows): Promise<readonly string[]> {
  const flags = includeAll(operation);
  const missing = Object.keys(flags).filter((name) => filters[name] === undefined);
  if (missing.length === 0) return [];
  try {
    const { count, hasMore } = await read({ filters: { ...filters, ...flags }, limit: 1 });
    return count > 0 || hasMore ? missing : [];
  } catch (error) {
    if (error instanceof QueryTimedOut) return [];
    throw error;
  }
}
