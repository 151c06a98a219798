import type { List } from '@tenantscope/contract';
import type { CursorContent } from './cursor.ts';
import { findMissingFlags, type ReadRows } from './hidden-rows.ts';
import { findUnknownValues, type UnknownValue } from './unknown-values.ts';

/** Why a page is empty, as far as its filters show it. */
export interface EmptyPageReasons {
  readonly unknown: readonly UnknownValue[];
  /** Flags without which rows are left out that would be on the page. */
  readonly missingFlags: readonly string[];
}

export const noReasons: EmptyPageReasons = { unknown: [], missingFlags: [] };

/** @param read the same page, and the newest of all stored rows, with other filters */
export async function findReasons(
  operation: List,
  filters: CursorContent['filters'],
  read: { readonly page: ReadRows; readonly newest: ReadRows },
): Promise<EmptyPageReasons> {
  return {
    unknown: await findUnknownValues(operation, filters, read.newest),
    missingFlags: await findMissingFlags(operation, filters, read.page),
  };
}
