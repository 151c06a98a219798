import { parseSort } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiResponse } from '../installation/api-client.ts';
import { type ControlledInstallation, startControlledInstallation } from './controlled-installation.ts';
import { inspectList, lists } from './list-mapping.ts';
import { createRowWriter, type RowKey } from './row-writer.ts';

let product: ControlledInstallation;

beforeAll(async () => {
  product = await startControlledInstallation();
});
afterAll(() => product?.[Symbol.asyncDispose]());

/** The log, two kinds of record and one of entity; lists of all records are read by the same statements. */
const cases = lists
  .filter(({ path }) => ['/logs', '/detections', '/actions', '/users'].includes(path))
  .map((list) => [list.path, list] as const);
/** Of a row of the log the length of the action is set. */
const columns: Readonly<Record<string, string>> = {
  '/logs': `member_lines = '"' || repeat('x', $3 - 2) || '"'`,
};
const setLength = `document = left(document, -1) || ',"filler":"' || repeat('x', $3 - octet_length(document) - 12) || '"}'`;
const mebibyte = 1_048_576;
const pageBytes = 8 * mebibyte;

/** Rows in the order of their numbers on every axis, with documents of so many bytes. */
async function fill(list: (typeof lists)[number], sizes: readonly number[]) {
  const tenantId = await product.createTenant();
  const reader = product.reader(tenantId);
  const mapping = await inspectList(product, reader, list);
  const writer = await createRowWriter(product.superuser, mapping);
  const rows = sizes.map((_, number): RowKey => {
    const atMs = product.throughMs() - 10_000 + number;
    return { id: writer.id(number), times: Object.fromEntries(Object.keys(list.windows).map((axis) => [axis, atMs])) };
  });
  await writer.write(tenantId, rows);
  for (const [number, bytes] of sizes.entries())
    await product.superuser.query(
      `update ${mapping.table} set ${columns[list.path] ?? setLength} where tenant_id = $1 and id = $2`,
      [tenantId, rows[number]?.id, bytes],
    );
  return { reader, ids: rows.map(({ id }) => id), parameters: mapping.revealing };
}

const idsOf = (page: ApiResponse): string[] => page.body.data.map(({ id }: { id: string }) => id);

test.each(cases)('pages of %s end at 8 MiB of documents, and joined they are the full list', async (path, list) => {
  const { reader, ids, parameters } = await fill(list, [...Array(17).fill(mebibyte), 1_000, 1_000]);
  for (const sort of list.sorts) {
    const { axis, ascending } = parseSort(sort as 'xAsc');
    const counts: number[] = [];
    const read: string[] = [];
    const resumed: string[] = [];
    for (let next: Record<string, string> | null = { ...parameters, sort, limit: '1000' }; next !== null; ) {
      const page: ApiResponse = await reader.get(path, next);
      expect(page.status, page.text.slice(0, 300)).toBe(200);
      counts.push(page.body.data.length);
      read.push(...idsOf(page));
      const { nextCursor, resumeCursor, hasMore } = page.body.pagination;
      expect(hasMore).toBe(nextCursor !== null);
      if (hasMore && ascending) resumed.push(...idsOf(await reader.get(path, { cursor: resumeCursor, limit: '1' })));
      next = nextCursor === null ? null : { cursor: nextCursor };
    }
    expect(read, sort).toEqual(ascending ? ids : ids.toReversed());
    // A row of the log is longer than its action.
    const large = path === '/logs' ? 7 : 8;
    expect(counts, sort).toEqual(ascending ? [large, large, 19 - 2 * large] : [9, large, 10 - large]);
    if (ascending) expect(resumed, `${sort} on ${axis}`).toEqual([ids[large], ids[2 * large]]);
  }
});

test.each(cases)('a page of %s has at least one row, and small rows before a large one', async (path, list) => {
  const { reader, ids, parameters } = await fill(list, [pageBytes + 1, 1_000, 2_000, pageBytes - 20_000, 1_000]);
  const sort = list.sorts.find((name) => name.endsWith('Asc')) ?? '';
  const pages: string[][] = [];
  for (let next: Record<string, string> | null = { ...parameters, sort, limit: '3' }; next !== null; ) {
    const page: ApiResponse = await reader.get(path, next);
    pages.push(idsOf(page));
    next = page.body.pagination.hasMore ? { cursor: page.body.pagination.nextCursor } : null;
  }
  expect(pages).toEqual([ids.slice(0, 1), ids.slice(1, 4), ids.slice(4)]);
});
