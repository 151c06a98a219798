import type { Caller } from './caller.ts';

/** Every row there is, page by page. */
export async function everything(
  caller: Caller,
  path: string,
  parameters: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: rows of every shape
): Promise<any[]> {
  const rows = [];
  for (let asked = parameters; ; ) {
    const { status, body, text } = await caller.get(path, asked);
    if (status !== 200) throw new Error(text);
    rows.push(...body.data);
    if (body.pagination.nextCursor === null) return rows;
    asked = { cursor: body.pagination.nextCursor };
  }
}
