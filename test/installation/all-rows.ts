import type { ApiClient } from './api-client.ts';

/** Reads all rows, page by page. */
export async function readAllRows(
  caller: ApiClient,
  path: string,
  parameters: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: rows of every shape
): Promise<any[]> {
  const rows = [];
  for (let query = parameters; ; ) {
    const { status, body, text } = await caller.get(path, query);
    if (status !== 200) throw new Error(text);
    rows.push(...body.data);
    if (body.pagination.nextCursor === null) return rows;
    query = { cursor: body.pagination.nextCursor };
  }
}
