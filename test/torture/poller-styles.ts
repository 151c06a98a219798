import { createMcpClient } from '../mcp/mcp-client.ts';
import { chooseStartMs, createLogsRequest, rotateSecrets } from './http-poller.ts';
import { compareFollowed, compareWindows, sleep, type Window } from './pollers.ts';

interface Pagination {
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  readonly resumeCursor: string;
  readonly completeThrough: string;
}

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly pagination: Pagination;
}

type Parameters = Readonly<Record<string, string>>;
type Request = (parameters: Parameters) => Promise<Page>;

/** What clients of four kinds read, next to those that read ascending windows and follow `resumeCursor` in JSON. */
export interface StylesRead {
  /** Newest first, in pages; here in ascending order. */
  readonly descending: Window[];
  /** First what is complete, then the rows from the last time up to it. */
  readonly checkpoint: string[];
  /** Follows `resumeCursor` in NDJSON, and waits for rows. */
  readonly ndjson: string[];
  /** Follows `resumeCursor` with tool calls. */
  readonly tools: string[];
}

export interface StylePollers {
  /** Polls until what is complete has passed the time of `end`. */
  poll(): Promise<StylesRead>;
  end(): void;
}

const pollIntervalMs = 100;
const pageRows = '1000';

/** They repeat a 503, and anything else but 200 is a failure. They use several keys, since each has a limit per minute. */
export function createStylePollers(
  baseUrl: string,
  secrets: readonly string[],
  startMs = chooseStartMs(),
): StylePollers {
  const read: StylesRead = { descending: [], checkpoint: [], ndjson: [], tools: [] };
  let endedMs = Number.POSITIVE_INFINITY;
  const nextSecret = rotateSecrets(secrets);
  const get = createLogsRequest(baseUrl, nextSecret);
  const getJson: Request = async (parameters) => JSON.parse(await get(parameters)) as Page;
  const getNdjson: Request = async (parameters) => {
    const text = await get(parameters, { accept: 'application/x-ndjson', prefer: 'wait=2' });
    const lines = text.trimEnd().split('\n');
    const { pagination } = JSON.parse(lines.pop() as string) as { pagination: Pagination };
    return { data: lines.map((line) => JSON.parse(line) as { id: string }), pagination };
  };
  const callTool: Request = async ({ limit, ...others }) => {
    const given = limit === undefined ? others : { ...others, limit: Number(limit) };
    for (;;) {
      const client = createMcpClient(baseUrl, nextSecret());
      const { status, text, body } = await client.request('tools/call', { name: 'list_logs', arguments: given });
      if (status === 200 && !body.result?.isError) return body.result.structuredContent as Page;
      if (status !== 503 && !text.includes('SERVICE_UNAVAILABLE')) throw new Error(`${status}: ${text}`);
      await sleep(pollIntervalMs);
    }
  };

  const readWindow = async (parameters: Parameters): Promise<string[]> => {
    const ids: string[] = [];
    for (let page = await getJson({ ...parameters, limit: pageRows }); ; ) {
      ids.push(...page.data.map(({ id }) => id));
      if (page.pagination.nextCursor === null) return ids;
      page = await getJson({ cursor: page.pagination.nextCursor });
    }
  };
  const pollDescending = async () => {
    for (let fromMs = startMs, isLast = false; !isLast; ) {
      isLast = Date.now() >= endedMs;
      const toMs = Date.now();
      const ids = await readWindow({ discoveredFrom: toTime(fromMs), discoveredTo: toTime(toMs) });
      read.descending.push({ fromMs, toMs, ids: ids.reverse() });
      fromMs = toMs;
      await sleep(pollIntervalMs);
    }
  };
  const pollCheckpoint = async () => {
    for (let fromMs = startMs; fromMs < endedMs; ) {
      const { pagination } = await getJson({ limit: '1' });
      const toMs = Date.parse(pagination.completeThrough);
      if (toMs >= fromMs) {
        const window = { discoveredFrom: toTime(fromMs), discoveredTo: toTime(toMs) };
        for (const id of await readWindow({ ...window, sort: 'discoveredAtAsc' })) read.checkpoint.push(id);
        fromMs = toMs + 1;
      }
      await sleep(pollIntervalMs);
    }
  };
  const follow = async (request: Request, ids: string[]) => {
    let next: Parameters = { sort: 'discoveredAtAsc', limit: pageRows, discoveredFrom: toTime(startMs) };
    for (let completeMs = 0; completeMs < endedMs; ) {
      const { data, pagination } = await request(next);
      ids.push(...data.map(({ id }) => id));
      next = { cursor: pagination.resumeCursor };
      completeMs = pagination.hasMore ? 0 : Date.parse(pagination.completeThrough);
      if (!pagination.hasMore) await sleep(pollIntervalMs);
    }
  };

  return {
    async poll() {
      await Promise.all([
        pollDescending(),
        pollCheckpoint(),
        follow(getNdjson, read.ndjson),
        follow(callTool, read.tools),
      ]);
      return read;
    },
    end() {
      endedMs = Date.now();
    },
  };
}

const toTime = (ms: number) => new Date(ms).toISOString();

/** Rows that a style missed or read twice, and windows that have changed since, by style. */
export function compareStyles(read: StylesRead, stored: readonly { id: string; atMs: number }[]) {
  return {
    descending: compareWindows(read.descending, stored),
    checkpoint: compareFollowed(read.checkpoint, stored),
    ndjson: compareFollowed(read.ndjson, stored),
    tools: compareFollowed(read.tools, stored),
  };
}
