import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pollPages } from '../src/poll-pages.ts';
import type { Requester } from '../src/requester.ts';

/** A list that grows while it is read: each request sees the rows that its turn has added. */
function growingList(growth: readonly number[], limit: number): { request: Requester; rows: () => number } {
  let rows = 0;
  let turn = 0;
  const request: Requester = async (_path, { parameters = {} } = {}) => {
    rows += growth[turn++] ?? 0;
    const start = Number(parameters.cursor ?? 0);
    const end = Math.min(rows, start + limit);
    const data = Array.from({ length: end - start }, (_, index) => ({ number: start + index }));
    return { data, pagination: { hasMore: end < rows, resumeCursor: String(end), completeThrough: null } };
  };
  return { request, rows: () => rows };
}

test('every row is in one page, in order, wherever the iteration stopped and continued', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(9), { maxLength: 20 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.nat(4), { maxLength: 10 }),
      async (growth, limit, stops) => {
        const { request, rows } = growingList(growth, limit);
        const seen: unknown[] = [];
        let cursor: string | null = null;
        for (const stop of [...stops, Number.POSITIVE_INFINITY]) {
          let pages = 0;
          for await (const page of pollPages(request, '/logs', { parameters: {}, cursor, intervalMs: null })) {
            seen.push(...page.rows.map(({ number }) => number));
            cursor = page.pagination.resumeCursor;
            if (pages++ === stop) break;
          }
        }
        expect(seen).toEqual(Array.from({ length: rows() }, (_, number) => number));
      },
    ),
  );
});

test.for([
  [{ data: null, pagination: {} }, /not a page/],
  [{ data: [] }, /not a page/],
  [{ data: [], pagination: { hasMore: false, resumeCursor: null } }, /Use an ascending sort/],
  [{ data: [], pagination: { resumeCursor: 'x' } }, /Use an ascending sort/],
] as const)('a response that cannot be continued is an error: %j', async ([response, message]) => {
  const pages = pollPages(async () => response, '/logs', { parameters: {}, cursor: null, intervalMs: null });
  await expect(pages.next()).rejects.toThrow(message);
});
