import { type Polled, sleep } from './pollers.ts';

interface LogsResponse {
  data: { id: string }[];
  pagination: { hasMore: boolean; nextCursor: string | null; resumeCursor: string };
}

export interface HttpPoller {
  /** Reads adjacent windows up to now, and follows `resumeCursor`, every 50 ms until `end`; then a last time. */
  poll(): Promise<Polled>;
  end(): void;
}

const pollIntervalMs = 50;

/** Two pollers of `/logs`. They repeat a 503, and anything else but 200 is a failure. They use several keys, since each has a limit per minute. */
export function createHttpPoller(baseUrl: string, secrets: readonly string[], pageRows = '200'): HttpPoller {
  const polled: Polled = { windows: [], followed: [] };
  const startMs = Date.now() - 1_000;
  let ended = false;
  let turn = 0;

  const request = async (parameters: Record<string, string>): Promise<LogsResponse> => {
    for (;;) {
      const response = await fetch(`${baseUrl}/logs?${new URLSearchParams(parameters)}`, {
        headers: { authorization: `Bearer ${secrets[turn++ % secrets.length]}` },
      });
      if (response.status === 200) return (await response.json()) as LogsResponse;
      if (response.status !== 503) throw new Error(`${response.status}: ${await response.text()}`);
      await sleep(pollIntervalMs);
    }
  };
  const pollWindows = async () => {
    for (let fromMs = startMs, last = false; !last; ) {
      last = ended;
      const toMs = Date.now();
      const window = { discoveredFrom: new Date(fromMs).toISOString(), discoveredTo: new Date(toMs).toISOString() };
      const ids: string[] = [];
      for (let page = await request({ ...window, sort: 'discoveredAtAsc', limit: pageRows }); ; ) {
        ids.push(...page.data.map(({ id }) => id));
        if (page.pagination.nextCursor === null) break;
        page = await request({ cursor: page.pagination.nextCursor });
      }
      polled.windows.push({ fromMs, toMs, ids });
      fromMs = toMs;
      await sleep(pollIntervalMs);
    }
  };
  const follow = async () => {
    let next: Record<string, string> = {
      sort: 'discoveredAtAsc',
      limit: pageRows,
      discoveredFrom: new Date(startMs).toISOString(),
    };
    for (let finalPasses = 0; finalPasses < 3; finalPasses += ended ? 1 : 0) {
      if (ended) await sleep(500);
      for (let more = true; more; ) {
        const { data, pagination } = await request(next);
        polled.followed.push(...data.map(({ id }) => id));
        next = { cursor: pagination.resumeCursor };
        more = pagination.hasMore;
      }
      await sleep(pollIntervalMs);
    }
  };
  return {
    async poll() {
      await Promise.all([pollWindows(), follow()]);
      return polled;
    },
    end() {
      ended = true;
    },
  };
}
